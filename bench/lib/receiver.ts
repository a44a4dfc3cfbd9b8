/** Receivers of webhooks, in the process of the benchmark. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Received = { path: string, headers: IncomingHttpHeaders, body: string, atMs: number, status: number }
export type Receiver = { url: string, received: Received[], close: () => Promise<void> }
/** What to answer, and after how long; undefined: nothing. */
export type Behaviour = () => { status: number, afterMs: number } | undefined

const TAKES_ALL: Behaviour = () => ({ status: 204, afterMs: 0 })

export async function startReceiver (behave: Behaviour = TAKES_ALL): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    const atMs = Date.now()
    const answer = behave()
    if (!answer) return
    // Whatever reached us counts as received; the sender may be dead when it is to be answered.
    received.push({ path: request.url ?? '', headers: request.headers, body, atMs, status: answer.status })
    await sleep(answer.afterMs)
    response.writeHead(answer.status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
}
