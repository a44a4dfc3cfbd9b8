/** @TODO(#16): stands in for accounts, sessions and the delivery of the page until the program has them; then the program is used. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const PAGE = fileURLToPath(new URL('../../../build/page', import.meta.url))
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
  "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.html': 'text/html' }
type Account = { name: string, password: string }

const send = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
const refuse = (response: ServerResponse, status: number, code: string, error: string): void => {
  send(response, status, { success: false, error, code })
}

async function readJson (request: IncomingMessage): Promise<Account & { token?: string }> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return JSON.parse(text) as Account
}

function sendPage (response: ServerResponse, path: string): void {
  const file = existsSync(PAGE + path) && path !== '/' ? PAGE + path : `${PAGE}/index.html`
  const headers = { 'content-security-policy': POLICY, 'cross-origin-opener-policy': 'same-origin', 'cache-control': 'no-cache' }
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...headers }).end(readFileSync(file))
}

/** The address of a program that has the page itself is returned as it is. */
export async function serveForNow (server: { origin: string, firstKey: string | undefined }): Promise<{ origin: string, close (): void }> {
  const own = await fetch(`${server.origin}/api/v1/setup`)
  if (own.ok) return { origin: server.origin, close: () => {} }
  let account: Account | undefined
  const seen = { account: () => ({ id: 1, name: account?.name, role: 'administrator', plan: 'enterprise', diarization: true }) }
  const begin = (response: ServerResponse, status: number): void => {
    const later = new Date(Date.now() + 3600_000).toISOString()
    send(response, status, { success: true, data: { account: seen.account(), expiresAt: later, idleExpiresAt: later } },
      { 'set-cookie': 'stenobox_session=interim; HttpOnly; SameSite=Strict; Path=/' })
  }

  async function answer (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const isIn = (request.headers.cookie ?? '').includes('stenobox_session=interim') && account !== undefined
    const act = `${request.method} ${path}`
    if (act === 'GET /api/v1/setup') return send(response, 200, { success: true, data: { needed: !account, tokenRequired: false } })
    if (act === 'GET /api/v1/session/options') {
      return send(response, 200, { success: true, data: { password: true, oauth: null, version: '0', sharing: false } })
    }
    if (act === 'POST /api/v1/setup') {
      account = await readJson(request)
      return begin(response, 201)
    }
    if (act === 'POST /api/v1/session') {
      const { name, password } = await readJson(request)
      if (name === account?.name && password === account.password) return begin(response, 200)
      return refuse(response, 401, 'unauthorized', 'Name or password is wrong.')
    }
    if (!path.startsWith('/api/')) return sendPage(response, path)
    if (!isIn) return refuse(response, 401, 'unauthorized', 'Sign in.')
    if (act === 'GET /api/v1/session') return begin(response, 200)
    if (act === 'DELETE /api/v1/session') {
      return send(response, 200, { success: true, data: {} }, { 'set-cookie': 'stenobox_session=; Max-Age=0; Path=/' })
    }
    const headers = { ...request.headers, cookie: '', authorization: `Bearer ${server.firstKey}` }
    const onward = forward(new URL(request.url ?? '/', server.origin), { method: request.method ?? 'GET', headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(response)
    })
    onward.on('error', () => { response.destroy() })
    response.on('close', () => { onward.destroy() })
    request.pipe(onward)
  }

  const front = createServer((request, response) => { answer(request, response).catch((error: Error) => { response.destroy(error) }) })
  await new Promise<void>((resolve) => { front.listen(0, '127.0.0.1', resolve) })
  return { origin: `http://127.0.0.1:${(front.address() as AddressInfo).port}`, close: () => { front.closeAllConnections(); front.close() } }
}
