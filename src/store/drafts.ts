/** Files that are being downloaded, under `work/`. They survive the process, and become media when they are complete. */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readChunks, syncDirectory } from '../disk/files.js'
import { openPartFile } from '../disk/part-file.js'
import { isFileVersion } from '../domain/file-version.js'
import { pathInside } from './paths.js'
import type { StoredFile } from './paths.js'

const PART = 'part'

async function openDraft (directory: string, url: string) {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // Only a digest of the address is stored, because an address may hold a password.
  const origin = createHash('sha256').update(url).digest('hex')
  return await openPartFile({ path: join(directory, PART), origin, mode: 0o600, isVersion: isFileVersion })
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

/** The files of each job are in a directory of their own, below the work directory. */
export function createDrafts (workDir: string, mediaDir: string) {
  const directoryOf = (jobId: number): string => pathInside(workDir, String(jobId), 'source')
  return {
    /** Opens the file of a job that is downloaded from `url`, with the bytes that have arrived. */
    open: async (jobId: number, url: string) => await openDraft(directoryOf(jobId), url),
    /** A directory into which a program may download the file of a job. */
    async makeDirectory (jobId: number): Promise<string> {
      await mkdir(directoryOf(jobId), { recursive: true, mode: 0o700 })
      return directoryOf(jobId)
    },
    /** Writes a file for a program into that directory, and returns its path. */
    async writeNote (jobId: number, name: string, text: string): Promise<string> {
      const path = pathInside(directoryOf(jobId), name)
      await writeFile(path, text, { mode: 0o600 })
      return path
    },
    /** What `writeNote` wrote; undefined when there is no such file. */
    readNote: async (jobId: number, name: string): Promise<string | undefined> =>
      await readFile(pathInside(directoryOf(jobId), name), 'utf8').catch(() => undefined),
    /** Length and digest of a file, which is read whole. Without a name, of the file that `open` opens. */
    digest: async (jobId: number, name = PART): Promise<StoredFile> => await digestOf(pathInside(directoryOf(jobId), name)),
    /** Moves it to the media files under the name `file`, safe from a power cut. */
    async store (jobId: number, file: string, name = PART): Promise<void> {
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
    /** Removes all files of a job. */
    remove: async (jobId: number): Promise<void> => { await rm(directoryOf(jobId), { recursive: true, force: true }) }
  }
}
export type Drafts = ReturnType<typeof createDrafts>
