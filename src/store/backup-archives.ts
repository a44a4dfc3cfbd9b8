/**
 * Backups in one file: a tar with the recordings and parts, a copy of the database, and `backup.json` at the end, so that an archive that
 * was cut off has no list. The names inside are those of a backup directory.
 */
import { createTarDecoder, createTarPacker } from 'modern-tar'
import type { ParsedTarEntry } from 'modern-tar'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { syncDirectory, writeAll } from '../disk/files.js'
import { isBackupPath, parseBackupList } from '../domain/backup.js'
import type { BackupFile, BackupList } from '../domain/backup.js'
import {
  ALL_PAGES, installStaged, isMissing, LIST, listFiles, MAX_SNAPSHOTS, prepareTarget, requireKnownVersion, STAGING
} from './backups.js'
import type { BackupSummary } from './backups.js'
import type { Database } from './database.js'
import { pathInside } from './paths.js'

/** The endings of archives. */
const ENDING = /\.(tar|tar\.gz|tgz|tar\.zst)$/
/** A list has about 150 bytes for each recording. */
const MAX_LIST_BYTES = 256 * 1024 ** 2
const MAGIC = { gzip: '1f8b', zstd: '28b52ffd' } as const

type Packer = ReturnType<typeof createTarPacker>['controller']
type Digest = { sizeBytes: number, sha256: string }
/** Absolute paths. `nowMs`: the time of the backup. */
type Options = { dataDir: string, file: string, nowMs: number }

/** True for names of archives; other names are directories. */
export const isArchiveName = (path: string): boolean => ENDING.test(path)

// ---------------------------------------------------------------- writing

function compressorFor (file: string) {
  if (/gz$/.test(file)) return [createGzip({ level: 1 })]
  return /zst$/.test(file) ? [createZstdCompress()] : []
}

async function addEntry (packer: Packer, name: string, size: number, chunks: AsyncIterable<Uint8Array>, nowMs: number): Promise<string> {
  const header = { name, size, type: 'file' as const, mode: 0o600, mtime: new Date(nowMs), uid: 0, gid: 0 }
  const writer = packer.add(header).getWriter()
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    await writer.write(chunk)
  }
  await writer.close()
  return hash.digest('hex')
}

const chunksOf = (handle: FileHandle): AsyncIterable<Buffer> => handle.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })

/** Adds a file of the data directory. Throws ENOENT when it was deleted, and an Error when it is not what the database says. */
async function addFile (packer: Packer, dataDir: string, { path, sizeBytes, sha256 }: BackupFile, nowMs: number): Promise<void> {
  const from = pathInside(dataDir, path)
  const damaged = (): Error => new Error(`${from} is damaged: it does not have the SHA-256 that the database says. No backup was made`)
  // From here on, the file may be deleted: it stays readable while it is open.
  const handle = await open(from, 'r')
  try {
    if ((await handle.stat()).size !== sizeBytes) throw damaged()
    if (await addEntry(packer, path, sizeBytes, chunksOf(handle), nowMs) !== sha256) throw damaged()
  } finally {
    await handle.close()
  }
}

async function addDatabase (packer: Packer, copy: string, nowMs: number): Promise<BackupFile> {
  const path = `database/${nowMs}-${randomUUID()}.db`
  const handle = await open(copy, 'r')
  try {
    const { size: sizeBytes } = await handle.stat()
    return { path, sizeBytes, sha256: await addEntry(packer, path, sizeBytes, chunksOf(handle), nowMs) }
  } finally {
    await handle.close()
  }
}

/** Adds everything. `copy`: the path of the temporary copy of the database. */
async function pack (packer: Packer, db: Database, copy: string, { dataDir, nowMs }: Options): Promise<BackupList> {
  const added = new Set<string>()
  for (let snapshots = 1; ; snapshots++) {
    await rm(copy, { force: true })
    await db.backup(copy, { progress: () => ALL_PAGES })
    const { schemaVersion, files } = listFiles(copy)
    try {
      for (const file of files.filter(({ path }) => !added.has(path))) {
        await addFile(packer, dataDir, file, nowMs)
        added.add(file.path)
      }
    } catch (error) {
      // A recording was deleted after the database was copied: copy the database again, which no longer has it.
      if (!isMissing(error) || snapshots === MAX_SNAPSHOTS) throw error
      continue
    }
    const database = await addDatabase(packer, copy, nowMs)
    const list: BackupList = { format: 1, createdAt: new Date(nowMs).toISOString(), schemaVersion, database, files }
    const text = Buffer.from(JSON.stringify(list, null, 1) + '\n')
    await addEntry(packer, LIST, text.length, Readable.from([text]), nowMs)
    packer.finalize()
    return list
  }
}

/**
 * Writes a backup to one file while jobs run, and verifies it before it replaces an earlier one. Throws an Error that says what to do;
 * then no part of it is left.
 */
export async function backUpToFile (db: Database, options: Options): Promise<BackupSummary> {
  const { dataDir, file } = options
  if (file.startsWith(`${dataDir}/`)) throw new Error(`${file} is inside the data directory; choose another place`)
  const temporary = `${file}.${process.pid}-${randomUUID()}.tmp`
  const copy = `${temporary}.db`
  try {
    const { readable, controller } = createTarPacker()
    const packing = pack(controller, db, copy, options).catch((error: unknown) => {
      controller.error(error)
      throw error
    })
    const writing = pipeline([
      Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0]), ...compressorFor(file),
      createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true })
    ])
    const [packed, written] = await Promise.allSettled([packing, writing])
    if (written.status === 'rejected' && packed.status === 'fulfilled') throw written.reason
    if (packed.status === 'rejected') throw written.status === 'rejected' ? written.reason : packed.reason
    await checkArchive(temporary)
    await rename(temporary, file)
    await syncDirectory(dirname(file))
    const { database, files } = packed.value
    return { files: files.length, copied: files.length, sizeBytes: [database, ...files].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
  } catch (error) {
    throw isMissing(error) ? new Error(`${dirname(file)} does not exist; create it first`, { cause: error }) : error
  } finally {
    for (const path of [temporary, copy]) await rm(path, { force: true })
  }
}

// ---------------------------------------------------------------- reading

/** The streams that decompress the file, chosen by its first bytes. */
async function decompressorFor (file: string) {
  const handle = await open(file, 'r')
  try {
    const start = Buffer.alloc(4)
    await handle.read(start, 0, 4, 0)
    const hex = start.toString('hex')
    if (hex.startsWith(MAGIC.gzip)) return [createGunzip()]
    return hex === MAGIC.zstd ? [createZstdDecompress()] : []
  } finally {
    await handle.close()
  }
}

async function readText (entry: ParsedTarEntry): Promise<string> {
  if (entry.header.size > MAX_LIST_BYTES) throw new Error(`the backup is damaged: ${LIST} is too large`)
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

type Contents = { list: BackupList, found: ReadonlyMap<string, Digest> }

/** Reads the whole archive, has `take` read each file, and compares everything with the list. Throws an Error that names the file. */
async function readArchive (file: string, take: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<void>): Promise<Contents> {
  const found = new Map<string, Digest>()
  let text: string | undefined
  let last = 'the beginning'
  const decoder = createTarDecoder({ strict: true })

  async function takeEntry (entry: ParsedTarEntry): Promise<void> {
    const { name, type } = entry.header
    if (name === LIST) {
      text = await readText(entry)
      return
    }
    if (type !== 'file' || !isBackupPath(name)) throw new Error(`the backup is damaged: it contains ${JSON.stringify(name)}`)
    last = name
    const hash = createHash('sha256')
    let sizeBytes = 0
    async function * counted (): AsyncGenerator<Uint8Array> {
      for await (const chunk of entry.body) {
        hash.update(chunk)
        sizeBytes += chunk.length
        yield chunk
      }
    }
    await take(name, counted())
    found.set(name, { sizeBytes, sha256: hash.digest('hex') })
  }

  const reading = (async () => { for await (const entry of decoder.readable) await takeEntry(entry) })()
  const sink = Writable.fromWeb(decoder.writable as Parameters<typeof Writable.fromWeb>[0])
  const feeding = pipeline([createReadStream(file, { highWaterMark: 1024 * 1024 }), ...await decompressorFor(file), sink])
  const [read, fed] = await Promise.allSettled([reading, feeding])
  const refused = [read, fed].map((result) => result.status === 'rejected' ? result.reason as unknown : undefined)
  const ours = refused.find((reason) => reason instanceof Error && (/^the backup is damaged/.test(reason.message) || isSystemError(reason)))
  if (ours !== undefined) throw ours
  const other = refused.find((reason) => reason !== undefined)
  if (other !== undefined) throw new Error(`the backup is damaged: ${file} cannot be read after ${last}`, { cause: other })
  return { list: compare(file, text, found), found }
}

/** A full disk, or a file that may not be read. */
const isSystemError = (error: Error): boolean => 'code' in error && 'syscall' in error

/** The list, if every file in it was read with the listed digest. Throws an Error that names the first one that was not. */
function compare (file: string, text: string | undefined, found: ReadonlyMap<string, Digest>): BackupList {
  if (text === undefined) throw new Error(`the backup is damaged: ${file} is cut off, or is not a backup: it has no ${LIST}`)
  const list = parseBackupList(text)
  if (!list) throw new Error(`the backup is damaged: ${LIST} cannot be read as the list of a backup`)
  for (const { path, sizeBytes, sha256 } of [...list.files, list.database]) {
    const there = found.get(path)
    if (!there) throw new Error(`the backup is damaged: ${path} is missing. Nothing was restored`)
    if (there.sizeBytes !== sizeBytes || there.sha256 !== sha256) {
      throw new Error(`the backup is damaged: ${path} has changed since the backup was made. Nothing was restored`)
    }
  }
  return list
}

async function checkArchive (file: string): Promise<void> {
  await readArchive(file, async (_path, chunks) => {
    const iterator = chunks[Symbol.asyncIterator]()
    while (!(await iterator.next()).done);
  })
}

async function writeChunks (path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) await writeAll(handle, chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Restores an archive into an empty data directory. Throws an Error that names the file that is missing or damaged; then the data directory
 * is empty again.
 */
export async function restoreFile ({ file, dataDir }: { file: string, dataDir: string }): Promise<BackupSummary> {
  await prepareTarget(dataDir)
  const staging = join(dataDir, STAGING)
  try {
    for (const place of ['media', 'uploads']) await mkdir(join(staging, place), { recursive: true, mode: 0o700 })
    const { list, found } = await readArchive(file, async (path, chunks) => { await writeChunks(pathInside(staging, path), chunks) })
    requireKnownVersion(list)
    const listed = new Set(list.files.map(({ path }) => path))
    // Files that the list does not name: recordings that were deleted while the backup was made.
    for (const path of found.keys()) if (path !== list.database.path && !listed.has(path)) await rm(pathInside(staging, path))
    await rename(pathInside(staging, list.database.path), join(staging, 'app.db'))
    await installStaged(staging, dataDir)
    return { files: list.files.length, copied: list.files.length, sizeBytes: list.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}
