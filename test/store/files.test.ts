import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { TooLong } from '../../dist/domain/errors.js'
import { createFiles } from '../../dist/store/files.js'
import type { Files } from '../../dist/store/files.js'
import { runModule } from '../support/child.ts'
import { randomBytes } from '../support/random.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function * chunksOf (bytes: Buffer, length = 1000): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += length) yield bytes.subarray(offset, offset + length)
}

async function prepared (t: Test): Promise<{ dataDir: string, files: Files, list: (place: string) => string[] }> {
  const dataDir = t.testdir()
  const files = createFiles(dataDir)
  await files.prepare()
  return { dataDir, files, list: (place) => existsSync(`${dataDir}/${place}`) ? readdirSync(`${dataDir}/${place}`) : [] }
}

/** Stores the bytes as a part and returns what the upload's row would hold of it. */
async function addPart (
  files: Files, partNumber: number, bytes: Buffer
): Promise<{ partNumber: number, sha256: string, sizeBytes: number }> {
  return { partNumber, ...await files.writePart('u1', partNumber, chunksOf(bytes), bytes.length) }
}

t.test('a part is stored whole, named by number and digest, for its owner alone', async (t) => {
  const { dataDir, files, list } = await prepared(t)
  const bytes = randomBytes(5500, 1)
  t.strictSame(await files.writePart('u1', 3, chunksOf(bytes), 5500), { sizeBytes: 5500, sha256: sha256(bytes) })
  t.strictSame(list('uploads/u1'), [`3-${sha256(bytes)}.part`])
  const path = `${dataDir}/uploads/u1/3-${sha256(bytes)}.part`
  t.ok(readFileSync(path).equals(bytes))
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.equal(statSync(`${dataDir}/uploads`).mode & 0o777, 0o700)
})

t.test('no bytes at all are a part of no bytes', async (t) => {
  const { files } = await prepared(t)
  t.strictSame(await files.writePart('u1', 1, chunksOf(Buffer.alloc(0)), 10), { sizeBytes: 0, sha256: sha256(Buffer.alloc(0)) })
})

t.test('a source that breaks off leaves nothing, and its error is passed on', async (t) => {
  const { files, list } = await prepared(t)
  const failure = new Error('connection lost')
  async function * broken (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(1000)
    throw failure
  }
  await t.rejects(files.writePart('u1', 1, broken(), 5000), failure)
  t.strictSame(list('uploads/u1'), [])
})

t.test('more than allowed is refused before it is written, and nothing is left', async (t) => {
  const { files, list } = await prepared(t)
  let isClosed = false
  async function * endless (): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.alloc(1000)
    } finally {
      isClosed = true
    }
  }
  const error = await t.rejects(files.writePart('u1', 1, endless(), 2500), { name: 'TooLong' })
  t.ok(error instanceof TooLong)
  t.ok(isClosed, 'the source is closed')
  t.strictSame(list('uploads/u1'), [])
  t.ok(await files.writePart('u1', 1, chunksOf(Buffer.alloc(2500)), 2500), 'exactly as much as allowed is not too much')
})

t.test('a part sent twice at once, or again with other bytes, spoils nothing', async (t) => {
  const { files, list } = await prepared(t)
  const [bytes, other] = [randomBytes(3000, 1), randomBytes(3000, 2)]
  const [first, second] = await Promise.all([addPart(files, 1, bytes), addPart(files, 1, bytes)])
  t.strictSame(first, second)
  t.equal(list('uploads/u1').length, 1)
  await addPart(files, 1, other)
  await files.joinParts('u1', [first], 'media-1')
  t.ok(readFileSync(files.mediaPath('media-1')).equals(bytes), 'the part that the row names is the one that is used')
})

t.test('a file size limit or a full disk leaves nothing behind and is reported as no room', async (t) => {
  const { dataDir, list } = await prepared(t)
  const child = runModule(t, `
    const { createFiles } = await dist('store/files.js')
    const { isNoRoom } = await dist('domain/errors.js')
    async function * source () { for (let count = 0; count < 100; count++) yield Buffer.alloc(10_007) }
    const files = createFiles(args[0])
    await files.writePart('u1', 1, source(), 5e6).then(() => console.log('stored'), (error) => console.log(isNoRoom(error), error.code))
    const audio = await files.writeAudio(1)
    await audio.append(Buffer.alloc(2e5)).then(() => console.log('stored'), (error) => console.log(isNoRoom(error), error.code))
    await audio.close()
  `, { args: [dataDir], prefix: ['prlimit', '--fsize=65536'] })
  t.equal(await child.readLine(), 'true EFBIG')
  t.equal(await child.readLine(), 'true EFBIG')
  t.match(await child.end(), { code: 0 })
  t.strictSame(list('uploads/u1'), [])
  t.equal(statSync(`${dataDir}/work/1/audio.pcm`).size, 65_536, 'up to the limit it was written')
})

t.test('names that lead out of their place are refused', async (t) => {
  // Every name stays inside this test's own folder: were the guard broken, what it removes must not be the machine's.
  const root = t.testdir({ data: {}, outside: { 'keep.txt': 'precious' } })
  const files = createFiles(`${root}/data`)
  await files.prepare()
  const own = new URL(import.meta.url).pathname
  const list = (): string[] => readdirSync(root, { recursive: true }).map(String).sort()
  const before = list()
  const part = await addPart(files, 1, Buffer.alloc(10))
  for (const name of ['..', '../media', '../../outside', `${root}/outside`, 'x/../..', '', '.']) {
    await t.rejects(files.writePart(name, 1, chunksOf(Buffer.alloc(10)), 10), /leads out/, `writePart ${name}`)
    await t.rejects(files.removeMedia(name), /leads out/, `removeMedia ${name}`)
    t.throws(() => files.mediaPath(name), /leads out/, `mediaPath ${name}`)
    await t.rejects(files.joinParts('u1', [part], name), /leads out/, `joinParts to ${name}`)
    await t.rejects(files.joinParts('u1', [part, part], name), /leads out/, `joinParts of two to ${name}`)
    await t.rejects(files.copyIn(own, 1e6, name), /leads out/, `copyIn to ${name}`)
  }
  for (const id of ['..', '../media', '../../outside', `${root}/outside`, 'x/../..']) {
    await t.rejects(files.joinParts(id, [part], 'x'), /leads out/, `joinParts ${id}`)
  }
  await files.removeUpload('u1')
  t.strictSame(list(), before, 'nothing was written, nothing was removed')
  for (const id of ['../../outside', `${root}/outside`, '../media', '..', '']) {
    await t.rejects(files.removeUpload(id), /leads out/, `removeUpload ${id}`)
  }
  t.strictSame(list(), before, 'and no folder either')
})

t.test('parts are joined in the order given, with the digest of the whole', async (t) => {
  const { files, list } = await prepared(t)
  const whole = randomBytes(2_500_000, 3)
  const cuts = [0, 1_000_000, 2_000_000, 2_500_000]
  const parts = []
  for (const number of [3, 1, 2]) parts.push(await addPart(files, number, whole.subarray(cuts[number - 1], cuts[number])))
  parts.sort((a, b) => a.partNumber - b.partNumber)
  t.strictSame(await files.joinParts('u1', parts, 'media-1'), { sizeBytes: whole.length, sha256: sha256(whole) })
  t.ok(readFileSync(files.mediaPath('media-1')).equals(whole))
  t.strictSame(list('media'), ['media-1'])
  t.equal(list('uploads/u1').length, 3, 'the parts stay until they are removed')
})

t.test('a part that is gone leaves no half media file', async (t) => {
  const { files, list } = await prepared(t)
  const parts = [await addPart(files, 1, randomBytes(1000, 1)), { partNumber: 2, sha256: 'ab', sizeBytes: 10 }]
  await t.rejects(files.joinParts('u1', parts, 'media-1'), { code: 'ENOENT' })
  t.strictSame(list('media'), [])
})

t.test('one part alone is linked, not copied, and replaces what an earlier try left', async (t) => {
  const { dataDir, files } = await prepared(t)
  const bytes = randomBytes(3000, 4)
  const part = await addPart(files, 1, bytes)
  writeFileSync(files.mediaPath('media-1'), 'half')
  t.strictSame(await files.joinParts('u1', [part], 'media-1'), { sizeBytes: 3000, sha256: sha256(bytes) })
  t.equal(statSync(files.mediaPath('media-1')).ino, statSync(`${dataDir}/uploads/u1/1-${part.sha256}.part`).ino)
  await files.removeUpload('u1')
  t.ok(readFileSync(files.mediaPath('media-1')).equals(bytes), 'it outlives its upload')
})

t.test('a file from outside is copied in, up to a size', async (t) => {
  const { dataDir, files, list } = await prepared(t)
  const bytes = randomBytes(3000, 5)
  writeFileSync(`${dataDir}/outside.wav`, bytes)
  t.strictSame(await files.copyIn(`${dataDir}/outside.wav`, 3000, 'media-1'), { sizeBytes: 3000, sha256: sha256(bytes) })
  await t.rejects(files.copyIn(`${dataDir}/outside.wav`, 2999, 'media-2'), { name: 'TooLong' })
  await t.rejects(files.copyIn(`${dataDir}/missing.wav`, 2999, 'media-3'), { code: 'ENOENT' })
  t.strictSame(list('media'), ['media-1'])
})

t.test('decoded sound is readable once appended, and each writer starts over', async (t) => {
  const { files } = await prepared(t)
  for (const [first, second] of [['ab', 'cd'], ['ef', 'g']] as const) {
    const audio = await files.writeAudio(7)
    await audio.append(Buffer.from(first))
    t.equal(readFileSync(files.audioPath(7), 'utf8'), first)
    await audio.append(Buffer.from(second))
    await audio.sync()
    await audio.close()
    t.equal(readFileSync(files.audioPath(7), 'utf8'), first + second)
  }
})

t.test('what is removed is gone; removing it again is no error', async (t) => {
  const { files, list } = await prepared(t)
  await addPart(files, 1, Buffer.alloc(10))
  await (await files.writeAudio(7)).close()
  await files.copyIn(new URL(import.meta.url).pathname, 1e6, 'media-1')
  for (const round of [1, 2]) {
    await files.removeUpload('u1')
    await files.removeWork(7)
    await files.removeMedia('media-1')
    t.strictSame([list('uploads'), list('work'), list('media')], [[], [], []], `round ${round}`)
  }
})

t.test('preparing removes what dead processes were writing, and nothing else', async (t) => {
  const { dataDir, files } = await prepared(t)
  const other = runModule(t, 'console.log("up"); setInterval(() => {}, 1 << 30)')
  await other.readLine()
  const dead = runModule(t, '')
  await dead.end()
  const name = (pid: number): string => `${pid}-3f2504e0-4f89-41d3-9a0c-0305e82c3301.tmp`
  mkdirSync(`${dataDir}/uploads/u1`)
  const places = ['media', 'uploads/u1']
  for (const place of places) {
    for (const file of [name(other.pid), name(dead.pid), name(process.pid), '1-ab.part', 'upload-1']) {
      writeFileSync(`${dataDir}/${place}/${file}`, '')
    }
  }
  await files.prepare()
  for (const place of places) {
    t.strictSame(readdirSync(`${dataDir}/${place}`).sort(), ['1-ab.part', 'upload-1', name(other.pid)].sort(), place)
  }
})

t.test('entries untouched since a time are listed', async (t) => {
  const { dataDir, files } = await prepared(t)
  for (const [name, seconds] of [['old', 1000], ['edge', 2000], ['new', 3000]] as const) {
    writeFileSync(`${dataDir}/media/${name}`, '')
    utimesSync(`${dataDir}/media/${name}`, seconds, seconds)
  }
  t.strictSame(await files.listUntouched('media', 2_000_000), ['old'])
  t.strictSame((await files.listUntouched('media', Infinity)).sort(), ['edge', 'new', 'old'])
  t.strictSame(await files.listUntouched('work', Infinity), [])
})

t.test('the free space of the disk is a number of bytes', async (t) => {
  const { files } = await prepared(t)
  t.ok(await files.freeBytes() > 0)
})
