/** A receiver of webhooks on the loopback interface. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { listen } from './listen.ts'
import { waitFor } from './wait.ts'

export type Received = { path: string, headers: IncomingHttpHeaders, body: string }
export type Receiver = {
  url: string
  received: Received[]
  /** Resolves when `count` requests have arrived since the start. */
  until (count: number): Promise<void>
}

/** Answers with `answer`, or 204 when it returns nothing; `count` is the number of the request, from 1. */
export async function startReceiver (
  t: Test,
  answer: (response: ServerResponse, count: number, request: Received) => void = (response) => {
    response.writeHead(204).end()
  }
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (incoming, response) => {
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += String(chunk)
    const request = { path: incoming.url ?? '', headers: incoming.headers, body }
    received.push(request)
    answer(response, received.length, request)
  })
  const address = await listen(t, server)
  return {
    url: `${address}/hook`,
    received,
    async until (count) {
      await waitFor(`${count} requests`, () => received.length >= count, { progress: () => received.length })
    }
  }
}
