/** Files that are being fetched, under `work/`: they survive the process, and become media when they are whole. */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readChunks, syncDirectory, writeAll } from '../disk/files.js'
import { pathInside } from './paths.js'
import type { StoredFile } from './paths.js'

const PART = 'part'
const NOTE = 'part.json'

/** The note beside a part; undefined when missing or torn: then nobody knows what the part is a part of. */
async function readVersion<V extends object> (path: string, origin: string): Promise<V | undefined> {
  try {
    const note = JSON.parse(await readFile(path, 'utf8')) as { origin: string, version: V }
    return note.origin === origin ? note.version : undefined
  } catch {
    return undefined
  }
}

async function openDraft<V extends object> (directory: string, url: string) {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const notePath = join(directory, NOTE)
  const origin = createHash('sha256').update(url).digest('hex')
  let version: V | undefined = await readVersion<V>(notePath, origin)
  const handle = await open(join(directory, PART), 'a', 0o600)
  if (version === undefined) await handle.truncate(0)
  let bytes = (await handle.stat()).size
  return {
    bytes: (): number => bytes,
    version: (): V | undefined => version,
    async begin (next: V): Promise<void> {
      await rm(notePath, { force: true })
      await handle.truncate(0)
      bytes = 0
      version = next
      await writeFile(notePath, JSON.stringify({ origin, version }), { mode: 0o600 })
    },
    async append (chunk: Uint8Array): Promise<void> {
      await writeAll(handle, chunk)
      bytes += chunk.length
    },
    close: async (): Promise<void> => { await handle.close() }
  }
}

async function digestOf (path: string): Promise<StoredFile> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of readChunks(path)) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Fetched files of each job are in a directory of their own, below its work. */
export function createDrafts (workDir: string, mediaDir: string) {
  const directoryOf = (jobId: number): string => pathInside(workDir, String(jobId), 'source')
  return {
    /** The file of a job that is fetched from `url`, as far as it has come. `V`: what a half file is half of. */
    open: async <V extends object>(jobId: number, url: string) => await openDraft<V>(directoryOf(jobId), url),
    /** A directory in which a program may fetch a job's file by itself. */
    async makeDirectory (jobId: number): Promise<string> {
      await mkdir(directoryOf(jobId), { recursive: true, mode: 0o700 })
      return directoryOf(jobId)
    },
    /** Writes what a program is to read into its directory. */
    async writeNote (jobId: number, name: string, text: string): Promise<string> {
      const path = pathInside(directoryOf(jobId), name)
      await writeFile(path, text, { mode: 0o600 })
      return path
    },
    /** What `writeNote` wrote; undefined when it never did. */
    readNote: async (jobId: number, name: string): Promise<string | undefined> => await readFile(pathInside(directoryOf(jobId), name), 'utf8').catch(() => undefined),
    /** Reads a whole file through: its length and digest. Of what was opened when no name is given. */
    digest: async (jobId: number, name = PART): Promise<StoredFile> => await digestOf(pathInside(directoryOf(jobId), name)),
    /** Makes it the media file `file`, for good. */
    async keep (jobId: number, file: string, name = PART): Promise<void> {
      const path = pathInside(directoryOf(jobId), name)
      const handle = await open(path, 'r+')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(path, pathInside(mediaDir, file))
      await syncDirectory(mediaDir)
    },
    /** Removes what was fetched of a job. */
    remove: async (jobId: number): Promise<void> => { await rm(directoryOf(jobId), { recursive: true, force: true }) }
  }
}
export type Drafts = ReturnType<typeof createDrafts>
