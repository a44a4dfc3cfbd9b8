/** A reverse proxy that publishes the appliance in a folder, as nginx does with `location /steno/ { proxy_pass http://…/; }`. */
import { createServer, request as requestOf } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Test } from 'tap'
import { listen } from '../../support/listen.ts'

export type FolderProxy = {
  /** The address of the folder, without a slash at the end. */
  address: string
  /** Paths that were asked for outside of the folder. */
  outside: readonly string[]
  /** Must be called before the first request. */
  forwardTo (origin: string): void
}

/** Either side may end a stream early, such as a player that has heard enough. */
const ignoreEnd = (): void => {}

export async function startFolderProxy (t: Test, folder: string): Promise<FolderProxy> {
  const outside: string[] = []
  let target = ''
  function forward (request: IncomingMessage, response: ServerResponse, path: string): void {
    const { method, headers } = request
    const upstream = requestOf(target + path, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      pipeline(reply, response, ignoreEnd)
    })
    response.once('close', () => { upstream.destroy() })
    pipeline(request, upstream, ignoreEnd)
  }
  const origin = await listen(t, createServer((request, response) => {
    const { url = '' } = request
    if (url.startsWith(`${folder}/`)) return forward(request, response, url.slice(folder.length))
    outside.push(url)
    response.writeHead(404).end()
  }))
  return { address: origin + folder, outside, forwardTo: (upstream) => { target = upstream } }
}
