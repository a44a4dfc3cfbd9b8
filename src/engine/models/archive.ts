/** Model archives for machines without a network: one tar with a list of checksums, then the files. */
import { createTarDecoder, createTarPacker } from 'modern-tar'
import type { ParsedTarEntry, TarHeader } from 'modern-tar'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'
import { freeBytes as readFreeBytes, readChunks } from '../../disk/files.js'
import { formatBytes } from '../../domain/download-progress.js'
import { ModelError, NoRoomError } from '../../domain/model-error.js'
import { createDigests, writeCounted } from './files.js'
import type { FileFacts } from './files.js'
import { LocalModel } from './manifest.js'

const LIST_NAME = 'stenobox-models.json'
/** A list has a few hundred bytes for each model. */
const MAX_LIST_BYTES = 1024 * 1024
const STAGE_PREFIX = '.import-'

const ArchivedFile = Type.Object({
  name: Type.String(),
  path: Type.String(),
  bytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  licence: Type.String(),
  source: Type.Optional(Type.String()),
  attribution: Type.Optional(Type.String()),
  /** The entry of a model that a person added, because no manifest has it. */
  local: Type.Optional(LocalModel)
}, { additionalProperties: false })
export type ArchivedFile = Static<typeof ArchivedFile>

const List = Type.Object({
  format: Type.Literal('stenobox-models'),
  version: Type.Literal(1),
  files: Type.Array(ArchivedFile, { minItems: 1, maxItems: 1000 }),
  /** Digest of the rest of the list; see `digestList`. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' })
}, { additionalProperties: false })

/** JSON without spaces and with sorted keys, so that equal content gives equal text. */
function toCanonicalJson (value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
      : part)
}

const digestList = (files: readonly ArchivedFile[]): string =>
  createHash('sha256').update(toCanonicalJson({ format: 'stenobox-models', version: 1, files })).digest('hex')

// ---------------------------------------------------------------- writing

/** Fixed times and owners: the same models give the same archive, byte for byte. */
const toHeader = (name: string, size: number): TarHeader => ({ name, size, type: 'file', mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 })

type Packer = ReturnType<typeof createTarPacker>['controller']

async function packFile (packer: Packer, file: ArchivedFile, path: string): Promise<void> {
  const writer = packer.add(toHeader(file.path, file.bytes)).getWriter()
  const digests = createDigests()
  for await (const chunk of readChunks(path)) {
    digests.update(chunk)
    await writer.write(chunk)
  }
  await writer.close()
  if (digests.finish().sha256 !== file.sha256) throw new ModelError(`${file.path} changed while it was read`)
}

async function packAll (packer: Packer, entries: ReadonlyArray<{ file: ArchivedFile, path: string }>): Promise<void> {
  const files = entries.map(({ file }) => file)
  const list = Buffer.from(JSON.stringify({ format: 'stenobox-models', version: 1, files, sha256: digestList(files) }, null, 2) + '\n')
  const writer = packer.add(toHeader(LIST_NAME, list.length)).getWriter()
  await writer.write(list)
  await writer.close()
  for (const { file, path } of entries) await packFile(packer, file, path)
  packer.finalize()
}

/** Yields the bytes of an archive of these files. Reads the files while it is iterated. */
export async function * packModels (entries: ReadonlyArray<{ file: ArchivedFile, path: string }>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker()
  const packing = packAll(controller, entries).catch((error: unknown) => { controller.error(error) })
  for await (const chunk of readable) yield chunk
  await packing
}

// ---------------------------------------------------------------- reading

/** A file that was unpacked but not installed yet. */
export type StagedFile = { file: ArchivedFile, facts: FileFacts, path: string }
type Checks = {
  /** Why this file is refused; undefined when it is not. Called before the file is read. */
  refuse: (file: ArchivedFile) => string | undefined
  /** Why the unpacked file is not the expected one; undefined when it is. */
  findFault: (file: ArchivedFile, facts: FileFacts) => string | undefined
  onProgress?: (doneBytes: number, totalBytes: number) => void
  /** Free bytes of a directory, as far as models may use them. */
  freeBytes?: (directory: string) => Promise<number>
}

async function readList (entry: ParsedTarEntry): Promise<ArchivedFile[]> {
  const { name, size, type } = entry.header
  if (name !== LIST_NAME || type !== 'file' || size > MAX_LIST_BYTES) {
    throw new ModelError(`this is not an archive of models: it does not begin with ${LIST_NAME}`)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.body) chunks.push(chunk)
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (cause) {
    throw new ModelError(`the archive's ${LIST_NAME} is damaged`, { cause })
  }
  if (!Value.Check(List, parsed)) throw new ModelError(`the archive's ${LIST_NAME} is damaged, or from another version of Stenobox`)
  if (parsed.sha256 !== digestList(parsed.files)) throw new ModelError(`the archive's ${LIST_NAME} was changed: its checksum is wrong`)
  if (new Set(parsed.files.map(({ name }) => name)).size < parsed.files.length) throw new ModelError('the archive lists a model twice')
  return parsed.files
}

/** Why this entry is not the next file in the list; undefined when it is. */
function findMismatch ({ header }: ParsedTarEntry, file: ArchivedFile | undefined): string | undefined {
  if (!file) return `the archive holds ${JSON.stringify(header.name)}, which its list does not name`
  if (header.name !== file.path) return `the archive holds ${JSON.stringify(header.name)} where its list names ${file.path}`
  if (header.type !== 'file' || header.linkname) return `${file.path} is not a regular file in the archive`
  return header.size === file.bytes ? undefined : `${file.path} has ${header.size} bytes in the archive, and ${file.bytes} in its list`
}

/** Writes the entries to numbered files. No name in the archive is used as a path. */
async function unpack (
  entries: AsyncIterable<ParsedTarEntry>, directory: string, { refuse, findFault, onProgress, freeBytes = readFreeBytes }: Checks
): Promise<StagedFile[]> {
  const staged: StagedFile[] = []
  let files: ArchivedFile[] | undefined
  let done = 0
  for await (const entry of entries) {
    if (!files) {
      files = await readList(entry)
      for (const refused of files.map(refuse)) if (refused !== undefined) throw new ModelError(refused)
      const [total, free] = [files.reduce((sum, { bytes }) => sum + bytes, 0), await freeBytes(directory)]
      if (free < total) {
        throw new NoRoomError(
          `the disk of ${directory} has ${formatBytes(free)} free, and ${formatBytes(total)} are needed; make room and try again`
        )
      }
      continue
    }
    const file = files[staged.length]
    const mismatch = findMismatch(entry, file)
    if (mismatch !== undefined || !file) throw new ModelError(mismatch ?? 'the archive holds more files than its list names')
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const path = join(directory, String(staged.length))
    const facts = await writeCounted(path, entry.body, (bytes) => {
      done += bytes
      onProgress?.(done, total)
    }, 'wx')
    const fault = facts.sha256 === file.sha256
      ? findFault(file, facts)
      : `${file.path} does not match its checksum in the archive: the archive is damaged`
    if (fault !== undefined) throw new ModelError(fault)
    staged.push({ file, facts, path })
  }
  if (!files) throw new ModelError('the archive is empty')
  const missing = files[staged.length]
  if (missing) throw new ModelError(`the archive ends before ${missing.path}`)
  return staged
}

/** Writes the source to the decoder and returns its SHA-256. Stops when `signal` aborts. */
async function feed (source: AsyncIterable<Uint8Array>, writable: WritableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const writer = writable.getWriter()
  try {
    for await (const chunk of source) {
      signal.throwIfAborted()
      hash.update(chunk)
      await writer.write(chunk)
    }
    await writer.close()
    return hash.digest('hex')
  } catch (error) {
    await writer.abort(error).catch(() => {})
    throw error
  }
}

const toModelError = (error: unknown): Error => error instanceof ModelError || (error instanceof Error && 'code' in error)
  ? error
  : new ModelError('the archive is damaged or cut short', { cause: error })

/**
 * Unpacks an archive to a temporary folder in `modelsDir`, passes its files to `install` once all of them match, and removes the folder.
 * Call it while holding the directory's lock. Throws `ModelError`.
 */
export async function unpackModels (
  source: AsyncIterable<Uint8Array>, modelsDir: string, wantedSha256: string | undefined, checks: Checks,
  install: (staged: StagedFile[]) => Promise<void>
): Promise<void> {
  // Remove what a killed import left behind. Its process is dead, or it would still hold the lock.
  for (const name of await readdir(modelsDir)) {
    if (name.startsWith(STAGE_PREFIX)) await rm(join(modelsDir, name), { recursive: true, force: true })
  }
  const directory = join(modelsDir, STAGE_PREFIX + randomUUID())
  await mkdir(directory, { mode: 0o700 })
  const stop = new AbortController()
  try {
    const decoder = createTarDecoder({ strict: true })
    const unpacking = unpack(decoder.readable, directory, checks).catch((error: unknown) => {
      stop.abort(error)
      throw error
    })
    const [fed, unpacked] = await Promise.allSettled([feed(source, decoder.writable, stop.signal), unpacking])
    // The reason why an entry was refused is more useful than the error of the stopped source.
    if (unpacked.status === 'rejected') throw toModelError(unpacked.reason)
    if (fed.status === 'rejected') throw toModelError(fed.reason)
    if (wantedSha256 !== undefined && fed.value !== wantedSha256) {
      throw new ModelError(`the archive has the SHA-256 ${fed.value}, and not ${wantedSha256}: nothing was installed`)
    }
    await install(unpacked.value)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
