/** Models over HTTP, while the server works: fetched with progress, cancelled, resumed, used without a restart, removed. */
import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import t from 'tap'
import type { Test } from 'tap'
import { buildAdministered } from '../../support/admin.ts'
import { createClient } from '../../support/client.ts'
import { modelEntry, modelManifest } from '../../support/model-library.ts'
import { makeBytes, serveBytes, sha256Of, startServer } from '../../support/model-server.ts'
import type { Seen } from '../../support/model-server.ts'
import { AUDIO, STARTER_MODEL } from '../../support/paths.ts'
import { waitFor } from '../../support/wait.ts'

const HUB = 'https://huggingface.co/org/repo/resolve/main'
const STARTER = readFileSync(STARTER_MODEL)

type Task = { id: number, name: string, state: string, doneBytes: number, totalBytes: number | null, notes: string[], error: string | null }
type Model = { name: string, state: string, inUse: boolean, usedFor: string[], recommended: boolean, minutesPerHour?: number }

/** An appliance with administration whose manifest has these models, which come from `answer`. */
async function build (t: Test, files: Record<string, Buffer>, answer: (seen: Seen, response: ServerResponse) => void, settings = {}) {
  const hub = await startServer(t, answer)
  const models = Object.entries(files).map(([name, bytes]) =>
    modelEntry(name, { url: `${HUB}/${name}.bin`, bytes: bytes.length, sha256: sha256Of(bytes) }))
  const starter = modelEntry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true, languages: ['en', 'de', 'es'] })
  const manifest = modelManifest([...models, starter], { sets: { all: { for: 'tests', models: Object.keys(files) } } })
  manifest.quality.balanced.models = Object.keys(files)
  const dir = `${t.testdir({ data: {}, models: { 'manifest.json': JSON.stringify(manifest) } })}/models`
  const built = await buildAdministered(t, {
    STENOBOX_MODELS_DIR: dir, STENOBOX_MODELS_URL: hub.url, STENOBOX_DATA_DIR: `${dir}/../data`, ...settings
  })
  const admin = await built.openSession()
  const tasks = async (): Promise<Task[]> => (await admin.call('GET', 'model-tasks')).body.data as unknown as Task[]
  const list = async (): Promise<Model[]> => (await admin.call('GET', 'models')).body.data['models'] as Model[]
  return {
    ...built, admin, hub, tasks, list,
    find: async (name: string) => (await list()).find((model) => model.name === name),
    pull: async (name: string) => await admin.call('POST', `models/${name}/pull`),
    ended: async (id: number): Promise<Task> => await waitFor(`task ${id}`, async () => {
      const task = (await tasks()).find((one) => one.id === id)
      return task && !['waiting', 'running'].includes(task.state) && task
    }),
    left: (): string[] => readdirSync(dir).filter((name) => !/^(manifest\.json|models\.(busy|verified).*)$/.test(name)).sort()
  }
}

t.test('a model is fetched with progress while the server works, and used without a restart', async (t) => {
  let release: (() => void) | undefined
  const half = Math.floor(STARTER.length / 2)
  const { appliance, http, key, find, pull, tasks, ended, audited } = await build(t, { a: STARTER }, (_seen, response) => {
    response.writeHead(200, { 'content-length': STARTER.length, etag: '"v1"' })
    response.write(STARTER.subarray(0, half))
    release = () => { response.end(STARTER.subarray(half)) }
  })
  const address = await http.listen({ port: 0, host: '127.0.0.1' })
  appliance.start()
  const client = createClient(address, key('anna'))
  t.match(await client.ended(await client.uploadFile(`${AUDIO}en-1.wav`)), { status: 'completed' })
  t.match(await find('a'), { state: 'absent', inUse: false })
  const { status, body: { data } } = await pull('a')
  t.match({ status, data }, { status: 202, data: { id: 1, name: 'a', error: null } })
  t.match((await pull('a')).body.data, { id: 1 }, 'the same task')
  await waitFor('half of it', async () => (await tasks())[0]?.doneBytes === half)
  t.match(await tasks(), [{ id: 1, state: 'running', totalBytes: STARTER.length }])
  release?.()
  t.match(await ended(1), { state: 'done', error: null, notes: [/a is installed/] })
  t.match(await find('a'), { state: 'installed', inUse: true, usedFor: ['fast', 'balanced', 'accurate'] })
  t.match(await client.ended(await client.uploadFile(`${AUDIO}en-3.mp3`)), { status: 'completed' })
  const used = (await appliance.metrics.read()).models.map(({ model }) => model)
  t.strictSame(used.sort(), ['a', 'starter'], 'one before, one after')
  t.match(audited().at(-1), { operation: 'pullModel', model: 'a' })
})

t.test('a task that is cancelled keeps what has arrived, and the next one resumes', async (t) => {
  const bytes = makeBytes(500_000)
  let isWhole = false
  const { admin, hub, pull, tasks, ended, left } = await build(t, { a: bytes, b: bytes }, (seen, response) => {
    serveBytes(seen, response, bytes, isWhole ? {} : { stallAfter: 200_000 })
  })
  await pull('a')
  t.match((await pull('b')).body.data, { id: 2, state: 'waiting' }, 'one at a time')
  await waitFor('some of it', async () => (await tasks()).some(({ id, doneBytes }) => id === 1 && doneBytes === 200_000))
  t.match(await admin.call('PUT', 'models/archive', 'x', { 'content-type': 'application/x-tar' }), { status: 409 }, 'no import meanwhile')
  t.match(await admin.call('DELETE', 'model-tasks/2'), { status: 200, body: { data: { state: 'cancelled' } } })
  await admin.call('DELETE', 'model-tasks/1')
  t.match(await ended(1), { state: 'cancelled' })
  t.ok(left().includes('a.bin.part'))
  isWhole = true
  const { id } = (await pull('a')).body.data as { id: number }
  t.match(await ended(id), { state: 'done' })
  t.equal(hub.seen.at(-1)?.range, 'bytes=200000-')
  t.match(await admin.call('DELETE', `model-tasks/${id}`), { status: 200, body: { data: { state: 'done' } } }, 'an ended task stays')
  t.match(await admin.call('DELETE', 'model-tasks/99'), { status: 404 })
  t.strictSame((await tasks()).map(({ state }) => state), ['done', 'cancelled', 'cancelled'])
})

t.test('when nothing can be fetched, the task says where it looked; offline, nothing is tried', async (t) => {
  const refuse = (_seen: Seen, response: ServerResponse): void => { response.writeHead(404).end() }
  const { pull, ended, hub, left } = await build(t, { a: makeBytes(100) }, refuse)
  await pull('a')
  const { host } = new URL(hub.url)
  const task = await ended(1)
  t.equal(task.state, 'failed')
  t.ok(task.error?.includes(`${host}/org/repo/resolve/main/a.bin`), task.error ?? '')
  t.strictSame(left(), [])
  t.match(await pull('nothing'), { status: 404, body: { code: 'not_found' } })
  const offline = await build(t, { a: makeBytes(100) }, refuse, { STENOBOX_OFFLINE: 'true' })
  t.match(await offline.pull('a'), { status: 409, body: { error: /STENOBOX_OFFLINE is true/ } })
  t.equal(offline.hub.seen.length, 0)
})

t.test('a file that is not the published one is not installed, and says so', async (t) => {
  const { pull, ended, left, find } = await build(t, { a: makeBytes(100) }, (seen, response) => {
    serveBytes(seen, response, makeBytes(100))
  })
  await pull('a')
  t.match(await ended(1), { state: 'failed', error: /a\.bin does not match its published checksum/ })
  t.strictSame(left(), [])
  t.match(await find('a'), { state: 'absent' })
})

t.test('a set is fetched as one task; a model that is not in use is removed, one in use or bundled is not', async (t) => {
  const files = { a: STARTER, b: Buffer.concat([STARTER, Buffer.from('x')]) }
  const { admin, pull, ended, find, left } = await build(t, files, (seen, response) => {
    serveBytes(seen, response, seen.url.endsWith('/a.bin') ? files.a : files.b)
  })
  await pull('set:all')
  t.match(await ended(1), { state: 'done', notes: [/a is installed/, /b is installed/] })
  t.match(await find('b'), { state: 'installed', inUse: false })
  t.match(await admin.call('DELETE', 'models/a'), { status: 409, body: { error: /a is in use for transcripts of quality fast, balanced/ } })
  t.match(await admin.call('DELETE', 'models/starter'), { status: 409, body: { error: /comes with the program/ } })
  t.match(await admin.call('DELETE', 'models/b'), { status: 200, body: { data: { name: 'b' } } })
  t.match(await admin.call('DELETE', 'models/nothing'), { status: 404 })
  t.strictSame(left(), ['a.bin', 'models.lock.json'])
})

t.test('a stop of the server ends a task at once', async (t) => {
  const bytes = makeBytes(500_000)
  const { appliance, pull, tasks, left } = await build(t, { a: bytes }, (seen, response) => {
    serveBytes(seen, response, bytes, { stallAfter: 200_000 })
  })
  await pull('a')
  await waitFor('some of it', async () => (await tasks())[0]?.doneBytes === 200_000)
  await appliance.stopWork()
  t.match(await tasks(), [{ state: 'cancelled' }])
  t.ok(left().includes('a.bin.part'), 'what has arrived is kept')
  t.match(await pull('a'), { status: 503 })
})
