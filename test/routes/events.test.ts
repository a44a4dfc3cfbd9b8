/** Server-sent events over HTTP: what pages are told, who is told, and when streams end. */
import { connect } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import type { Test } from 'tap'
import { buildWithAccounts } from '../support/account.ts'
import { buildAppliance } from '../support/appliance.ts'
import { createClient } from '../support/client.ts'
import { followEvents } from '../support/events.ts'
import type { Followed } from '../support/events.ts'
import { AUDIO } from '../support/paths.ts'
import { waitFor } from '../support/wait.ts'

const SOURCE = { sourceUrl: 'https://example.org/talk.mp3' }

async function build (t: Test) {
  const built = await buildAppliance(t)
  const address = await built.http.listen({ port: 0, host: '127.0.0.1' })
  const follow = async (key: string) => {
    const page = await followEvents(address, key)
    t.teardown(page.close)
    return page
  }
  /** Creates a job that nobody works on. */
  const submit = async (key: string): Promise<number> =>
    (await built.call(key, 'POST', '/api/v1/media/ingest', SOURCE)).body.data['jobId'] as number
  return { ...built, address, follow, submit }
}

t.test('a page follows a job from the queue to its transcript, and no other owner sees any of it', async (t) => {
  const { appliance, address, key, follow } = await build(t)
  appliance.start()
  const anna = key('anna')
  const [mine, theirs] = [await follow(anna), await follow(key('ben'))]
  t.match(mine.headers.get('content-type'), /^text\/event-stream/)
  t.match(mine.headers.get('cache-control'), 'no-store, no-transform')
  t.equal(mine.headers.get('x-accel-buffering'), 'no')
  const client = createClient(address, anna)
  const id = await client.uploadFile(`${AUDIO}dialogue.mp3`, { language: 'en' })
  await mine.event('the end of the job', ({ data }) => data.status === 'completed')
  const told = mine.seen.filter(({ event }) => event === 'job').map(({ data }) => data)
  t.equal(mine.seen[0]?.event, 'list', 'it appears')
  t.ok(told.every((data) => data.id === id && data.title === 'dialogue.mp3'))
  t.ok(told.some(({ status, stage, progress = 0 }) => status === 'processing' && stage === 'transcribe' && progress > 0), 'progress')
  t.match(told.at(-1), { status: 'completed', stage: 'complete', progress: 100 })
  const progress = told.map((data) => data.progress ?? 0)
  t.strictSame(progress, [...progress].sort((a, b) => a - b), 'it only grows')
  await client.request('PATCH', `/api/v1/transcriptions/${id}/speakers`, { names: [{ label: 'Speaker 1', name: 'Ada' }] })
  await mine.event('its speakers', ({ event, data }) => event === 'transcript' && data.id === id)
  const before = mine.seen.length
  await client.request('DELETE', `/api/v1/transcriptions/${id}`)
  await waitFor('its removal', () => mine.seen.slice(before).some(({ event }) => event === 'list'))
  t.strictSame(theirs.seen, [])
})

t.test('one stream too many closes the oldest; other owners keep theirs', async (t) => {
  const { key, follow, submit } = await build(t)
  const [anna, ben] = [key('anna'), key('ben')]
  const other = await follow(ben)
  const pages: Followed[] = []
  for (let count = 0; count < 7; count++) pages.push(await follow(anna))
  await waitFor('the end of the first', () => pages[0]?.state() === 'ended')
  await submit(anna)
  for (const page of pages.slice(1)) await page.event('the new job', ({ event }) => event === 'list')
  t.strictSame(pages.slice(1).map((page) => page.state()), Array(6).fill('open'))
  t.equal(other.state(), 'open')
  t.strictSame(pages[0]?.seen, [])
})

t.test('the heartbeat ends streams of keys that were revoked', async (t) => {
  const { appliance, call, key, follow } = await build(t)
  const [anna, ben] = [key('anna'), key('ben')]
  const [mine, theirs] = [await follow(anna), await follow(ben)]
  const id = appliance.keys.list().find(({ owner }) => owner === 'anna')?.id ?? 0
  await appliance.events.sweep()
  await waitFor('a heartbeat', () => mine.heartbeats() === 1 && theirs.heartbeats() === 1)
  appliance.keys.revoke(id)
  await appliance.events.sweep()
  await waitFor('the end', () => mine.state() === 'ended')
  await waitFor('the next heartbeat', () => theirs.heartbeats() === 2)
  t.match(await call(anna, 'GET', '/api/v1/events'), { status: 401 })
  t.equal(theirs.state(), 'open')
})

t.test('a stop ends streams at once and refuses new ones; headers alone open none', async (t) => {
  const { appliance, http, call, key, follow } = await build(t)
  const anna = key('anna')
  t.match(await http.inject({ method: 'HEAD', url: '/api/v1/events', headers: { authorization: `Bearer ${anna}` } }), {
    statusCode: 200, headers: { 'content-type': /^text\/event-stream/ }
  })
  const page = await follow(anna)
  await appliance.stopWork()
  await waitFor('the end', () => page.state() === 'ended')
  t.match(await call(anna, 'GET', '/api/v1/events'), { status: 503, body: { code: 'unavailable' } })
  const startedMs = performance.now()
  await http.close()
  t.ok(performance.now() - startedMs < 4000, 'nothing holds up the stop')
})

t.test('a page that reads nothing is dropped before much waits for it', async (t) => {
  const { appliance, http, key, address } = await build(t)
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  t.teardown(() => { socket.destroy() })
  socket.pause()
  const [server] = await once(http.server, 'connection') as [typeof socket]
  socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key('anna')}\r\n\r\n`)
  await waitFor('the stream', () => server.bytesWritten > 0)
  let most = 0
  // The kernel takes some megabytes before anything waits here.
  await waitFor('its end', async () => {
    for (let count = 0; count < 20_000 && !server.destroyed; count++) await appliance.events.sweep()
    most = Math.max(most, server.writableLength)
    return server.destroyed
  }, { progress: () => server.bytesWritten })
  t.ok(most < 1_000_000, `${most} bytes`)
})

t.test('the stream of a person who is signed in goes on as long as the session', async (t) => {
  const { appliance, http, openAs } = await buildWithAccounts(t)
  const address = await http.listen({ port: 0, host: '127.0.0.1' })
  const { cookie, call } = await openAs()
  const page = await followEvents(address, { cookie })
  t.teardown(page.close)
  t.equal((await call('POST', 'media/ingest', SOURCE)).status, 201)
  await page.event('the recording', ({ event }) => event === 'list')
  await appliance.events.sweep()
  await waitFor('a heartbeat', () => page.heartbeats() === 1)
  await call('DELETE', 'session')
  await appliance.events.sweep()
  await waitFor('the end', () => page.state() === 'ended')
})
