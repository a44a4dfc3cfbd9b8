/** A partial model file: FILE.part, with a note beside it that records which download it belongs to. */
import { openPartFile, removePartFile, removePartNote } from '../../disk/part-file.js'
import { readChunks } from '../../disk/files.js'
import { isFileVersion } from '../../domain/file-version.js'
import type { FileVersion } from '../../domain/file-version.js'
import { createDigests, moveInto } from './files.js'
import type { FileFacts } from './files.js'

const pathOf = (target: string): string => `${target}.part`

/** Removes the part file and the note of an unfinished download of `target`. */
export async function removePart (target: string): Promise<void> {
  await removePartFile(pathOf(target))
}

/** Opens the part of `target` that came from `source`, or starts an empty one. Only one process may have it open. */
export async function openPart (target: string, source: string) {
  const path = pathOf(target)
  const file = await openPartFile({ path, origin: source, mode: 0o644, isVersion: isFileVersion })
  let digests = createDigests()
  for await (const chunk of readChunks(path)) digests.update(chunk)

  return {
    bytes: file.bytes,
    version: file.version,
    async begin (version: FileVersion): Promise<void> {
      digests = createDigests()
      await file.begin(version)
    },
    async append (chunk: Uint8Array): Promise<void> {
      await file.append(chunk)
      digests.update(chunk)
    },
    /** Call it once, after the last byte. */
    facts: (): FileFacts => digests.finish(),
    /** Gives the file its real name. */
    async install (): Promise<void> {
      await file.sync()
      await moveInto(path, target)
      await removePartNote(path)
    },
    /** Closes the file. The bytes stay on disk. */
    close: file.close
  }
}
export type Part = Awaited<ReturnType<typeof openPart>>
