/** Importing models over HTTP: all or none, whatever is wrong with the archive. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { buildAdministered } from '../../support/admin.ts'
import { createLibrary, modelEntry, modelManifest } from '../../support/model-library.ts'
import { makeBytes, sha256Of } from '../../support/model-server.ts'
import { waitFor } from '../../support/wait.ts'

const MODEL = makeBytes(3_000_000)
const MANIFEST = modelManifest([modelEntry('a', { bytes: MODEL.length, sha256: sha256Of(MODEL) })])
const TAR = { 'content-type': 'application/x-tar' }

/** The archive of another machine. */
async function makeArchive (t: Test): Promise<Buffer> {
  const { dir, library, watcher } = createLibrary(t, MANIFEST, { files: { 'a.bin': MODEL } })
  await library.exportTo(['a'], `${dir}/a.tar`, watcher)
  return readFileSync(`${dir}/a.tar`)
}

async function build (t: Test, archive: Buffer, settings: Record<string, string> = {}) {
  const dir = `${t.testdirName}/import`
  mkdirSync(dir, { recursive: true })
  writeFileSync(`${dir}/manifest.json`, JSON.stringify(MANIFEST))
  const built = await buildAdministered(t, { STENOBOX_MODELS_DIR: dir, STENOBOX_DATA_DIR: `${dir}-data`, ...settings })
  const admin = await built.openSession()
  const left = (): string[] => readdirSync(dir).filter((name) => !/^(manifest\.json|models\.(busy|verified).*)$/.test(name))
  return {
    ...built, admin, dir, left, archive,
    send: async (bytes: Buffer, query = '') => await admin.call('PUT', `models/archive${query}`, bytes as unknown as object, TAR)
  }
}

t.test('an archive of another machine is installed and pinned', async (t) => {
  const { send, dir, admin, archive, audited } = await build(t, await makeArchive(t))
  t.match(await send(archive, `?sha256=${'0'.repeat(64)}`), { status: 400, body: { error: /has the SHA-256 .* nothing was installed/ } })
  const reply = await send(archive, `?sha256=${sha256Of(archive).toUpperCase()}`)
  t.match(reply, { status: 200, body: { data: { names: ['a'] } } })
  t.ok(readFileSync(`${dir}/a.bin`).equals(MODEL))
  t.match((await admin.call('GET', 'models')).body.data['models'], [{ name: 'a', state: 'installed' }])
  t.match(audited().at(-1), { operation: 'importModels', models: 'a' })
})

t.test('what is not the archive that was exported is refused in a sentence and leaves nothing', async (t) => {
  const archive = await makeArchive(t)
  const { send, left } = await build(t, archive)
  const flipped = Buffer.from(archive)
  flipped.writeUInt8(flipped.readUInt8(1_500_000) ^ 1, 1_500_000)
  const cases: Array<[string, Buffer, RegExp]> = [
    ['text', Buffer.from('this is no archive'), /archive/],
    ['nothing', Buffer.alloc(0), /archive/],
    ['a flipped byte', flipped, /a\.bin does not match its checksum in the archive: the archive is damaged/],
    ['a cut', archive.subarray(0, 2_000_000), /damaged or cut short|ends before/]
  ]
  for (const [what, bytes, message] of cases) {
    t.match(await send(bytes), { status: 400, body: { code: 'invalid_request', error: message } }, what)
    t.strictSame(left(), [], what)
  }
})

t.test('an archive that would fill the disk beyond the floor is refused', async (t) => {
  const { send, left, archive } = await build(t, await makeArchive(t), { STENOBOX_MIN_FREE_BYTES: String(2 ** 50) })
  t.match(await send(archive), { status: 507, body: { code: 'insufficient_storage', error: /are needed; make room/ } })
  t.strictSame(left(), [])
})

t.test('a client that hangs up leaves nothing, and the next import works', async (t) => {
  const { http, admin, left, send, archive } = await build(t, await makeArchive(t))
  await http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = http.server.address() as AddressInfo
  const sending = request({
    port, method: 'PUT', path: '/api/v1/admin/models/archive', headers: { cookie: admin.cookie, 'content-length': archive.length, ...TAR }
  }).on('error', () => {})
  sending.write(archive.subarray(0, 1_000_000))
  await waitFor('some of it', () => left().some((name) => name.startsWith('.import-')))
  sending.destroy()
  await waitFor('the end', () => left().length === 0)
  t.match(await send(archive), { status: 200 })
})

t.test('only the administrator may import, and not from a page of another site', async (t) => {
  const { admin, call, key, left, archive } = await build(t, await makeArchive(t))
  t.match(await call(key(), 'PUT', '/api/v1/admin/models/archive', archive, TAR), { status: 401 })
  const foreign = { ...TAR, origin: 'https://evil.example' }
  const reply = await admin.call('PUT', 'models/archive', archive as unknown as object, foreign)
  t.match(reply, { status: 403, body: { code: 'cross_site_request' } })
  t.strictSame(left(), [])
})
