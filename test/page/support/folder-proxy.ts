/**
 * A reverse proxy that publishes the appliance in a folder, as nginx does with `location /steno/ { proxy_pass http://…/; }`, and the
 * metadata of OAuth, whose names stand before the folder, as docs/operations.md says.
 */
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

/** `/.well-known/NAME/steno` and what is below it, without the folder; undefined: it is none of these. */
function metadataPath (url: string, folder: string): string | undefined {
  const [, name = '', rest = ''] = /^(\/\.well-known\/oauth-[a-z-]+)(\/.*)$/.exec(url) ?? []
  const isOfFolder = rest === folder || rest.startsWith(`${folder}/`)
  return isOfFolder ? name + rest.slice(folder.length) : undefined
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
  // Connections stay open: one that ends while it is taken up again would fail a request.
  const origin = await listen(t, createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { url = '' } = request
    const path = url.startsWith(`${folder}/`) ? url.slice(folder.length) : metadataPath(url, folder)
    if (path !== undefined) return forward(request, response, path)
    outside.push(url)
    response.writeHead(404).end()
  }))
  return { address: origin + folder, outside, forwardTo: (upstream) => { target = upstream } }
}
