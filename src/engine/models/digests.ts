/**
 * Digests of model files, cached by the file's identity, so that gigabytes are not read at every start. A file that is replaced, written to
 * or touched gets a new identity, because the kernel updates its change time.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { createDigests, digestFile, writeDurably } from './files.js'
import type { FileFacts } from './files.js'

const CACHE_FILE = 'models.verified.json'
/** Files up to this size are read when their digest is requested; that takes under a tenth of a second. */
const AT_ONCE_BYTES = 32 * 1024 * 1024

const Known = Type.Object({
  identity: Type.String(),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  sha1: Type.String({ pattern: '^[0-9a-f]{40}$' })
}, { additionalProperties: false })
const Cache = Type.Object({ version: Type.Literal(1), files: Type.Record(Type.String(), Known) }, { additionalProperties: false })
type Known = FileFacts & { identity: string }

/** An identity that changes when the file's bytes change; undefined when there is no file. */
function identify (path: string): { identity: string, bytes: number } | undefined {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!facts?.isFile()) return undefined
  return { identity: [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' '), bytes: Number(facts.size) }
}

/** Digests of the files in one models directory and of the bundled ones. */
export function createModelDigests (modelsDir: string) {
  const cachePath = join(modelsDir, CACHE_FILE)
  const known = new Map<string, Known>()
  /** Reads in progress. */
  const reading = new Map<string, Promise<FileFacts>>()
  let cacheIdentity: string | undefined

  /** Loads digests that other processes found. A damaged cache is ignored, and files are read again. */
  function readCache (): void {
    const identity = identify(cachePath)?.identity
    if (identity === undefined || identity === cacheIdentity) return
    cacheIdentity = identity
    try {
      const parsed: unknown = JSON.parse(readFileSync(cachePath, 'utf8'))
      if (Value.Check(Cache, parsed)) for (const [path, facts] of Object.entries(parsed.files)) if (!known.has(path)) known.set(path, facts)
    } catch {
      // A damaged cache is treated as a missing one.
    }
  }

  function recall (path: string, identity: string): FileFacts | undefined {
    const found = known.get(path)
    if (found?.identity === identity) return found
    if (found) known.delete(path)
    readCache()
    const cached = known.get(path)
    return cached?.identity === identity ? cached : undefined
  }

  /** Stores the digests of a file, unless the file has changed since it was read. */
  function remember (path: string, identity: string, facts: FileFacts): void {
    if (identify(path)?.identity === identity) known.set(path, { identity, ...facts })
  }

  /**
   * Saves the digests of existing files. If the models directory is not writable there is no cache, and large files are read at every
   * start.
   */
  async function save (): Promise<void> {
    readCache()
    const files = Object.fromEntries([...known].filter(([path, { identity }]) => identify(path)?.identity === identity))
    try {
      await writeDurably(cachePath, [Buffer.from(JSON.stringify({ version: 1, files }, null, 2) + '\n')])
      cacheIdentity = identify(cachePath)?.identity
    } catch {
      // Not an error: without a cache, files are only read again.
    }
  }

  async function read (path: string): Promise<FileFacts> {
    const identity = identify(path)?.identity
    const facts = await digestFile(path)
    if (identity !== undefined) remember(path, identity, facts)
    await save()
    return facts
  }

  return {
    /** The digests of a file. Undefined when there is no file, or when it is large and has not been read yet: use `check`. */
    find (path: string): FileFacts | undefined {
      const file = identify(path)
      if (!file) return undefined
      const found = recall(path, file.identity)
      if (found || file.bytes > AT_ONCE_BYTES) return found
      const digests = createDigests()
      digests.update(readFileSync(path))
      const facts = digests.finish()
      remember(path, file.identity, facts)
      return facts
    },
    /** The digests of a file, read if necessary. Rejects when it cannot be read. */
    async check (path: string): Promise<FileFacts> {
      const file = identify(path)
      const found = file && recall(path, file.identity)
      if (found) return found
      const running = reading.get(path) ?? read(path).finally(() => reading.delete(path))
      reading.set(path, running)
      return await running
    },
    /** Stores digests that were computed while the file was written. */
    async record (path: string, facts: FileFacts): Promise<void> {
      const file = identify(path)
      if (!file || file.bytes !== facts.bytes) return
      known.set(path, { identity: file.identity, ...facts })
      await save()
    }
  }
}
