/** A file that is not complete yet, and beside it a note that says what it is a part of. */
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeAll } from './files.js'

type Options<V> = {
  /** The bytes are at this path, the note at `path` + `.json`. */
  path: string
  /** Where the bytes come from, in a form that may be stored. Bytes of another origin are dropped. */
  origin: string
  /** Permissions of both files. */
  mode: number
  isVersion: (value: unknown) => value is V
}

const noteOf = (path: string): string => `${path}.json`

/** The version in the note. Undefined when the note is missing or torn: then nobody knows what the bytes belong to. */
async function readVersion<V extends object> ({ path, origin, isVersion }: Options<V>): Promise<V | undefined> {
  try {
    const note = JSON.parse(await readFile(noteOf(path), 'utf8')) as { origin?: unknown, version?: unknown }
    return note.origin === origin && isVersion(note.version) ? note.version : undefined
  } catch {
    return undefined
  }
}

/** Removes the bytes and the note. */
export async function removePartFile (path: string): Promise<void> {
  for (const one of [path, noteOf(path)]) await rm(one, { force: true })
}

/** Removes the note of a part that has become a file of its own. */
export async function removePartNote (path: string): Promise<void> {
  await rm(noteOf(path), { force: true })
}

/** Opens the part at `path`, or begins an empty one. Only one process may have it open. Throws what the file system says. */
export async function openPartFile<V extends object> (options: Options<V>) {
  const { path, origin, mode } = options
  await mkdir(dirname(path), { recursive: true })
  let version: V | undefined = await readVersion(options)
  const handle = await open(path, 'a', mode)
  if (version === undefined) await handle.truncate(0)
  let bytes = (await handle.stat()).size
  return {
    bytes: (): number => bytes,
    /** Undefined until the first `begin`. */
    version: (): V | undefined => version,
    /** Drops all bytes: what is appended from now on is this version, from its beginning. */
    async begin (next: V): Promise<void> {
      // Without a note, the bytes of a process that is killed here are dropped.
      await removePartNote(path)
      await handle.truncate(0)
      bytes = 0
      version = next
      await writeFile(noteOf(path), JSON.stringify({ origin, version }), { mode })
    },
    async append (chunk: Uint8Array): Promise<void> {
      await writeAll(handle, chunk)
      bytes += chunk.length
    },
    sync: async (): Promise<void> => { await handle.sync() },
    /** Leaves on the disk what has arrived. */
    close: async (): Promise<void> => { await handle.close() }
  }
}
