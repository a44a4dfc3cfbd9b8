import { packTar } from 'modern-tar'
import type { TarHeader } from 'modern-tar'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { readManifest } from '../../dist/engine/models/manifest.js'
import type { Manifest } from '../../dist/engine/models/manifest.js'
import { BUNDLED_MODELS_DIR } from '../../dist/engine/models/models.js'
import { createLibrary, modelEntry, modelManifest } from '../support/model-library.ts'
import { makeBytes, sha1Of, sha256Of } from '../support/model-server.ts'
import { STARTER_MODEL } from '../support/paths.ts'

const A = makeBytes(70_000)
const B = makeBytes(1000)
const MANIFEST = modelManifest([
  modelEntry('a', { attribution: 'Somebody', url: 'https://u:hunter2@huggingface.co/a.bin?key=hunter2' }),
  modelEntry('b', { file: 'deep/b.bin', sha1: sha1Of(B) }),
  modelEntry('c')
])

type File = { name: string, path: string, bytes: number, sha256: string, licence: string, source?: string }
type Entry = { header: TarHeader, body?: Uint8Array }

const FILES: File[] = [
  { name: 'a', path: 'a.bin', bytes: A.length, sha256: sha256Of(A), licence: 'MIT' },
  { name: 'b', path: 'deep/b.bin', bytes: B.length, sha256: sha256Of(B), licence: 'MIT' }
]

/** A forged list: its own checksum is right, whatever the content. */
function makeList (files: unknown, more: object = {}): Entry {
  const inOrder = (_key: string, part: unknown): unknown =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  const sha256 = createHash('sha256').update(JSON.stringify({ format: 'stenobox-models', version: 1, files }, inOrder)).digest('hex')
  const body = Buffer.from(JSON.stringify({ format: 'stenobox-models', version: 1, files, sha256, ...more }))
  return { header: { name: 'stenobox-models.json', size: body.length, type: 'file' }, body }
}
const makeFile = (name: string, body: Uint8Array, more: Partial<TarHeader> = {}): Entry => ({
  header: { name, size: body.length, type: 'file', ...more },
  body
})
const good = (): Entry[] => [makeList(FILES), makeFile('a.bin', A), makeFile('deep/b.bin', B)]
const inChunks = (bytes: Uint8Array, size = 4096): AsyncIterable<Buffer> =>
  Readable.from(Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => Buffer.from(bytes.subarray(i * size, (i + 1) * size))))

/** Tries to import it into an empty directory, where it has to leave nothing. */
async function refuses (
  t: Test,
  tar: Uint8Array,
  message: RegExp,
  { manifest = MANIFEST, sha256 }: { manifest?: Manifest, sha256?: string } = {}
): Promise<void> {
  const { library, watcher, left } = createLibrary(t, manifest)
  await t.rejects(library.importFrom(inChunks(tar), sha256, watcher), { name: 'ModelError', message }, String(message))
  t.strictSame(left(), [], 'nothing is left behind')
}

/** The archive that damaged ones are made from: what is refused is refused for its damage. */
async function importGood (t: Test): Promise<string[]> {
  const { library, watcher } = createLibrary(t, MANIFEST)
  return await library.importFrom(inChunks(await packTar(good())), undefined, watcher)
}

t.test('the starter model goes into an archive and out of it', async (t) => {
  const from = createLibrary(t, readManifest(`${BUNDLED_MODELS_DIR}/manifest.json`))
  const path = `${from.dir}/../out.tar`
  const sha256 = await from.library.exportTo(['starter'], path, from.watcher)
  t.equal(sha256, sha256Of(readFileSync(path)))
  t.equal(await from.library.exportTo(['starter'], path, from.watcher), sha256, 'the same models make the same archive')
  const tar = readFileSync(path)
  // This empties the test's directory: what is there afterwards came out of the archive.
  const to = createLibrary(t, readManifest(`${BUNDLED_MODELS_DIR}/manifest.json`))
  t.strictSame(to.left(), [])
  t.strictSame(await to.library.importFrom(inChunks(tar, 65_536), sha256.toUpperCase(), to.watcher), ['starter'])
  t.strictSame(to.left(), ['models.lock.json', 'starter', 'starter/ggml-starter-q5_0.bin'])
  t.ok(readFileSync(`${to.dir}/starter/ggml-starter-q5_0.bin`).equals(readFileSync(STARTER_MODEL)))
  t.match(await Array.fromAsync(to.library.verify([])), [{ name: 'starter', ok: true }])
})

t.test('an archive names each file with its checksum, licence and origin, and holds no secret', async (t) => {
  const { library, watcher, dir, lock } = createLibrary(t, MANIFEST, { files: { 'a.bin': A, deep: { 'b.bin': B } } })
  await lock.put({ b: { file: 'deep/b.bin', bytes: B.length, sha256: sha256Of(B), source: 'http://mirror/b', pinnedAt: '2026-01-01' } })
  const stream = new PassThrough()
  const collected = Array.fromAsync(stream)
  const sha256 = await library.exportTo(['a', 'b'], stream, watcher)
  stream.end()
  const tar = Buffer.concat(await collected as Buffer[])
  t.equal(sha256, sha256Of(tar))
  t.notMatch(tar.toString('latin1'), /hunter2/)
  t.notMatch(tar.toString('latin1'), new RegExp(dir), 'nor a path of this machine')
  t.equal(tar.subarray(0, 20).toString(), 'stenobox-models.json')
  const list = JSON.parse(tar.subarray(512, 512 + parseInt(tar.subarray(124, 135).toString(), 8)).toString()) as { files: unknown }
  t.strictSame(list.files, [
    {
      name: 'a',
      path: 'a.bin',
      bytes: A.length,
      sha256: sha256Of(A),
      licence: 'MIT',
      source: 'https://huggingface.co/a.bin',
      attribution: 'Somebody'
    },
    { name: 'b', path: 'deep/b.bin', bytes: B.length, sha256: sha256Of(B), licence: 'MIT', source: 'http://mirror/b' }
  ])
})

t.test('only what is installed and right is exported', async (t) => {
  const { library, watcher, dir } = createLibrary(t, MANIFEST, { files: { deep: { 'b.bin': 'damaged' } } })
  await t.rejects(library.exportTo(['a'], `${dir}/x.tar`, watcher), { message: /a is not installed; first: stenobox models pull a/ })
  await t.rejects(library.exportTo(['b'], `${dir}/x.tar`, watcher), { message: /published checksum/ })
  t.notOk(existsSync(`${dir}/x.tar`))
})

t.test('a good archive is installed, pinned, and replaces what was there', async (t) => {
  const { library, watcher, dir, lock } = createLibrary(t, MANIFEST, { files: { deep: { 'b.bin': 'old', 'b.bin.part': 'x' } } })
  const tar = await packTar(good())
  t.strictSame(await library.importFrom(inChunks(tar), sha256Of(tar), watcher), ['a', 'b'])
  t.ok(readFileSync(`${dir}/a.bin`).equals(A) && readFileSync(`${dir}/deep/b.bin`).equals(B))
  t.notOk(existsSync(`${dir}/deep/b.bin.part`))
  t.match(lock.find(modelEntry('a')), { sha256: sha256Of(A), source: 'an imported archive' })
  t.equal(statSync(`${dir}/a.bin`).mode & 0o777, 0o644 & ~process.umask())
})

t.test('another archive than the one that was meant is refused', async (t) => {
  await refuses(t, await packTar(good()), /the archive has the SHA-256 .*: nothing was installed/, { sha256: 'ab'.repeat(32) })
  t.strictSame(await importGood(t), ['a', 'b'])
})

t.test('an archive with an invalid list is refused', async (t) => {
  const file = makeFile('a.bin', A)
  await refuses(t, await packTar([file]), /does not begin with stenobox-models\.json/)
  await refuses(t, await packTar([makeFile('stenobox-models.json', Buffer.from('{'))]), /is damaged/)
  await refuses(t, await packTar([makeList(FILES, { version: 2 }), file]), /another version/)
  await refuses(t, await packTar([makeList([...FILES, { ...FILES[0], extra: 1 }]), file]), /is damaged/)
  await refuses(t, await packTar([makeList(FILES, { files: [FILES[1]] }), file]), /was changed/)
  await refuses(t, await packTar([makeList(FILES, { sha256: 'ab'.repeat(32) }), file]), /was changed/)
  await refuses(t, await packTar([makeList([FILES[0], FILES[0]]), file, file]), /lists a model twice/)
  await refuses(t, await packTar([makeFile('stenobox-models.json', Buffer.alloc(2_000_000, ' '))]), /does not begin with/)
  await refuses(t, Buffer.alloc(0), /damaged or cut short/)
  await refuses(t, Buffer.alloc(10_240), /is empty/)
  await refuses(t, makeBytes(10_240), /damaged or cut short/)
  t.strictSame(await importGood(t), ['a', 'b'])
})

t.test('a model that is not known here, or is another one here, is refused', async (t) => {
  const list = async (files: unknown[]): Promise<Uint8Array> => await packTar([makeList(files), makeFile('a.bin', A)])
  await refuses(t, await list([{ ...FILES[0], name: 'un\u001bknown' }]), /holds the model "un\\u001bknown", which is not in the manifest/)
  await refuses(t, await list([{ ...FILES[0], path: '../a.bin' }]), /in a different place than a\.bin/)
  await refuses(t, await list([{ ...FILES[0], path: '/tmp/a.bin' }]), /in a different place than a\.bin/)
  await refuses(t, await packTar(good()), /says 5$/, { manifest: modelManifest([modelEntry('a', { bytes: 5 })]) })
  await refuses(t, await packTar(good()), /checksum of a in the archive differs from the one in the manifest/, {
    manifest: modelManifest([modelEntry('a', { sha256: 'ab'.repeat(32) })])
  })
  await refuses(t, await packTar(good()), /published checksum/, {
    manifest: modelManifest([modelEntry('a', { sha1: 'ab'.repeat(20) }), modelEntry('b', { file: 'deep/b.bin' })])
  })
  t.strictSame(await importGood(t), ['a', 'b'])
})

t.test('a file that differs from its pin is refused, until the pin is removed', async (t) => {
  const { library, watcher, left, lock } = createLibrary(t, MANIFEST)
  await lock.put({ a: { file: 'a.bin', bytes: 1, sha256: 'ab'.repeat(32), source: 'x', pinnedAt: '2026-01-01' } })
  const tar = await packTar(good())
  await t.rejects(library.importFrom(inChunks(tar), undefined, watcher), { message: /is not the file that was pinned here on 2026-01-01/ })
  t.strictSame(left(), ['models.lock.json'])
  await library.remove(['a'])
  t.strictSame(await library.importFrom(inChunks(tar), undefined, watcher), ['a', 'b'])
})

t.test('entries that are not exactly what the list says are refused', async (t) => {
  const [list, a, b] = good() as [Entry, Entry, Entry]
  await refuses(t, await packTar([list, b, a]), /holds "deep\/b\.bin" where its list names a\.bin/)
  await refuses(t, await packTar([list, a]), /the archive ends before deep\/b\.bin/)
  await refuses(t, await packTar([list, a, b, makeFile('extra', B)]), /holds "extra", which its list does not name/)
  await refuses(t, await packTar([list, a, a, b]), /holds "a\.bin" where its list names deep/)
  await refuses(t, await packTar([list, a, b, b]), /which its list does not name/)
  await refuses(t, await packTar([list, list, a, b]), /where its list names a\.bin/)
  for (const name of ['../a.bin', '/a.bin', './a.bin', 'a.bin/../a.bin', 'x/'.repeat(60) + '../a.bin', 'a'.repeat(400)]) {
    await refuses(t, await packTar([list, makeFile(name, A), b]), /where its list names a\.bin/)
  }
  await refuses(
    t,
    await packTar([list, { header: { name: 'a.bin', size: 0, type: 'symlink', linkname: '/etc/passwd' } }, b]),
    /not a regular file/
  )
  await refuses(
    t,
    await packTar([list, { header: { name: 'a.bin', size: 0, type: 'link', linkname: '../../etc/passwd' } }, b]),
    /not a regular file/
  )
  await refuses(t, await packTar([list, { header: { name: 'a.bin', size: 0, type: 'character-device' } }, b]), /not a regular file/)
  await refuses(t, await packTar([list, { header: { name: 'a.bin', size: 0, type: 'fifo' } }, b]), /not a regular file/)
  await refuses(
    t,
    await packTar([list, { header: { name: 'a.bin/', size: 0, type: 'directory' } }, a, b]),
    /where its list names|not a regular file/
  )
  await refuses(t, await packTar([list, makeFile('a.bin', A.subarray(1)), b]), /has 69999 bytes in the archive, and 70000 in its list/)
  await refuses(t, await packTar([list, makeFile('a.bin', makeBytes(A.length)), b]), /does not match its checksum in the archive/)
  t.strictSame(await importGood(t), ['a', 'b'])
})

t.test('a cut, prolonged or flipped archive is refused', async (t) => {
  const tar = Buffer.from(await packTar(good()))
  for (const length of [1, 511, 512, 1024, 5000, 60_000, tar.length - 1500, tar.length - 1024, tar.length - 512, tar.length - 1]) {
    await refuses(t, tar.subarray(0, length), /cut short|ends before|empty/)
  }
  await refuses(t, Buffer.concat([tar, Buffer.from('more')]), /damaged/)
  await refuses(t, Buffer.concat([tar, tar]), /damaged/)
  for (const at of [0, 130, 150, 600, 2048, 30_000]) {
    const flipped = Buffer.from(tar)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    await refuses(t, flipped, /./)
  }
  const { library, watcher } = createLibrary(t, MANIFEST)
  t.strictSame(
    await library.importFrom(inChunks(Buffer.concat([tar, Buffer.alloc(10_240)]), 1000), undefined, watcher),
    ['a', 'b'],
    'zeros that tar pads with are no fault'
  )
})

t.test('a source that breaks off leaves nothing, and what an import left that was killed is cleared away', async (t) => {
  const tar = await packTar(good())
  const { library, watcher, left } = createLibrary(t, MANIFEST, { files: { '.import-dead': { 0: 'x' } } })
  async function * breaking (): AsyncGenerator<Uint8Array> {
    yield tar.subarray(0, 40_000)
    throw Object.assign(new Error('the stick was pulled out'), { code: 'EIO' })
  }
  await t.rejects(library.importFrom(breaking(), undefined, watcher), { message: /stick/ })
  t.strictSame(left(), [])
})
