/** Clients that send slowly, or open many connections: they end, and the others are served. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { connectionLimits } from '../../dist/routes/plugins/connections.js'
import { keepPace } from '../../dist/routes/plugins/body-pace.js'
import { createLogger } from '../../dist/logger.js'
import { buildAppliance } from '../support/appliance.ts'
import type { HttpLimits } from '../../dist/app.js'

/** Limits that end a slow body within the test. */
const SHORT = { stream: { bytes: 1000, ms: 40 }, wholeMs: 40, lingerMs: 40 }
const NEVER = { stream: { bytes: 1, ms: 3_600_000 }, wholeMs: 3_600_000, lingerMs: 3_600_000 }
const NO_LIMITS = { total: 10, perNetwork: 10, perConnection: 100, unreadMs: 3_600_000 }
/** More than the buffers of a connection hold. */
const BIG_BYTES = 20 * 1024 ** 2
const INIT = '/api/v1/media/uploads/init'

async function open (t: Test, limits: HttpLimits) {
  const built = await buildAppliance(t, {}, Date.now, createLogger('silent'), limits)
  let begun = 0
  built.http.get('/big', async () => {
    begun++
    return 'x'.repeat(BIG_BYTES)
  })
  await built.http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = built.http.server.address() as AddressInfo
  return {
    ...built,
    /** How often the big reply was asked for. */
    begun: () => begun,
    /** A connection on which `bytes` are sent, and everything that comes back until it is closed by the server. */
    send (bytes: string): { socket: Socket, answer: Promise<string> } {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', () => {})
      const answer = once(socket, 'close').then(() => text)
      t.teardown(() => { socket.destroy() })
      socket.write(bytes)
      return { socket, answer }
    }
  }
}

const begin = (method: string, url: string, key: string, length: number, type = 'application/json'): string =>
  `${method} ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`

t.test('a JSON body that does not arrive is answered with 408, and the connection is closed', async (t) => {
  const { send, key } = await open(t, { bodies: SHORT })
  const text = await send(begin('POST', INIT, key(), 100) + '{').answer
  t.match(text, /^HTTP\/1\.1 408 /)
  t.match(text, /connection: close/i)
  t.match(text, /"code":"request_timeout"/)
})

t.test('a part that is sent byte by byte ends too, and nothing of it is kept', async (t) => {
  const { send, key, call } = await open(t, { bodies: SHORT })
  const mine = key()
  const { body } = await call(mine, 'POST', INIT, { fileName: 'a.mp3', fileSize: 5000 })
  const url = `/api/v1/media/uploads/${String(body.data['uploadId'])}`
  const text = await send(begin('PUT', `${url}/parts/1`, mine, 5000, 'audio/mpeg') + 'x'.repeat(999)).answer
  t.match(text, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  t.strictSame((await call(mine, 'GET', url)).body.data['missing'], [1])
})

t.test('a body without a credential is not read: the answer comes first, and the rest is not waited for', async (t) => {
  const { send } = await open(t, { bodies: { ...NEVER, lingerMs: 40 } })
  t.match(await send(begin('POST', INIT, 'service_sk_' + 'x'.repeat(43), 1_000_000) + '{').answer, /^HTTP\/1\.1 401 /)
})

t.test('a stream may be long, but each stretch must bring its bytes; reading slowly is not sending slowly', async (t) => {
  const sent = Array.from({ length: 50 }, () => Buffer.alloc(1000))
  const ready = Readable.from(sent)
  let count = 0
  for await (const chunk of keepPace(ready, { bytes: 1000, ms: 1 })) {
    count += chunk.length
    // Longer than the pace allows, but it is we who are slow.
    if (count === 1000) for (const until = performance.now() + 5; performance.now() < until;);
  }
  t.equal(count, 50_000)
  const silent = new Readable({ read () {} })
  silent.push(Buffer.alloc(999))
  await t.rejects(Array.fromAsync(keepPace(silent, { bytes: 1000, ms: 20 })), { code: 'request_timeout' })
  t.notOk(silent.destroyed, 'the connection is still there for the reply')
})

t.test('a network has its share of connections; the oldest idle one gives way', async (t) => {
  const { send } = await open(t, { connections: { ...NO_LIMITS, perNetwork: 2 } })
  const [first, second] = [send(''), send('')]
  await Promise.all([first, second].map(async ({ socket }) => { await once(socket, 'connect') }))
  const health = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'
  t.match(await send(health).answer, /^HTTP\/1\.1 200 /)
  t.equal(await first.answer, '')
  second.socket.write(health)
  t.match(await second.answer, /^HTTP\/1\.1 200 /, 'the other one is still open')
})

t.test('connections with a request do not give way: a further one of the network is closed', async (t) => {
  const { send, key, http } = await open(t, { bodies: NEVER, connections: { ...NO_LIMITS, perNetwork: 2 } })
  const mine = key()
  for (let count = 0; count < 2; count++) {
    const asked = once(http.server, 'request')
    send(begin('POST', INIT, mine, 100) + '{')
    await asked
  }
  t.equal(await send('').answer, '')
})

t.test('a client that sends many requests at once and reads nothing is disconnected', async (t) => {
  const { send, begun } = await open(t, { connections: { ...NO_LIMITS, perConnection: 3 } })
  const { socket, answer } = send('')
  await once(socket, 'connect')
  socket.pause()
  socket.write('GET /big HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1000))
  socket.resume()
  await answer
  t.ok(begun() <= 3, `${begun()} of 1000 were carried out`)
})

t.test('a reply that nobody reads ends with its connection, one that is read does not', async (t) => {
  const { http, send } = await open(t, { connections: { ...NO_LIMITS, unreadMs: 2000 } })
  const { socket, answer } = send('')
  await once(socket, 'connect')
  socket.pause()
  const closed = once(http.server, 'connection').then(async ([other]) => await once(other as Socket, 'close'))
  const unread = send('GET /big HTTP/1.1\r\nhost: x\r\n\r\n')
  unread.socket.pause()
  await closed
  unread.socket.resume()
  t.ok((await unread.answer).length < BIG_BYTES)
  socket.resume()
  socket.write('GET /big HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  t.ok((await answer).length > BIG_BYTES)
})

t.test('connections leave files for the work', async (t) => {
  const rest = { perConnection: 4, unreadMs: 60_000 }
  t.strictSame(connectionLimits(128, 2), { total: 32, perNetwork: 16, ...rest })
  t.strictSame(connectionLimits(1_048_576, 2), { total: 1024, perNetwork: 512, ...rest })
  t.strictSame(connectionLimits(20, 2), { total: 8, perNetwork: 4, ...rest })
  t.strictSame(connectionLimits(1024, 64), { total: 312, perNetwork: 156, ...rest }, 'workers take files too')
  t.strictSame(connectionLimits(Infinity, 2), { total: 1024, perNetwork: 512, ...rest })
})
