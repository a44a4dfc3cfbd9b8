/** A download that is not whole yet: FILE.part, and beside it what it is a part of. */
import { readFileSync } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { readChunks, writeAll } from '../../disk/files.js'
import { createDigests, moveInto } from './files.js'
import type { FileFacts } from './files.js'

/** `etag`: a strong one, which may stand in If-Range. */
export type Version = { etag?: string, totalBytes?: number }

const Origin = Type.Object({
  source: Type.String(),
  etag: Type.Optional(Type.String()),
  totalBytes: Type.Optional(Type.Integer({ minimum: 0 }))
})

function readVersion (path: string, source: string): Version | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(Origin, parsed) && parsed.source === source ? parsed : undefined
  } catch {
    // Missing or torn: then nobody knows what the part is a part of.
    return undefined
  }
}

/** Removes what an unfinished download of `target` left. */
export async function removePart (target: string): Promise<void> {
  for (const path of [`${target}.part`, `${target}.part.json`]) await rm(path, { force: true })
}

/** Opens the part of `target` that came from `source`, or begins an empty one. One process at a time. */
export async function openPart (target: string, source: string) {
  const [path, notePath] = [`${target}.part`, `${target}.part.json`]
  await mkdir(dirname(target), { recursive: true })
  let version = readVersion(notePath, source)
  const handle = await open(path, 'a', 0o644)
  let digests = createDigests()
  let bytes = 0
  if (version) {
    for await (const chunk of readChunks(path)) {
      digests.update(chunk)
      bytes += chunk.length
    }
  } else {
    await handle.truncate(0)
  }

  return {
    bytes: (): number => bytes,
    version: (): Version => version ?? {},
    /** Forgets all bytes: what comes now is this version, from its beginning. */
    async begin (next: Version): Promise<void> {
      await handle.truncate(0)
      version = next
      digests = createDigests()
      bytes = 0
      await writeFile(notePath, JSON.stringify({ source, ...next }))
    },
    async append (chunk: Uint8Array): Promise<void> {
      await writeAll(handle, chunk)
      digests.update(chunk)
      bytes += chunk.length
    },
    /** Call once, when all bytes are there. */
    facts: (): FileFacts => digests.finish(),
    /** Gives the file its real name. */
    async install (): Promise<void> {
      await handle.sync()
      await handle.close()
      await moveInto(path, target)
      await rm(notePath, { force: true })
    },
    /** Keeps what is there for the next time. */
    close: async (): Promise<void> => { await handle.close() }
  }
}
export type Part = Awaited<ReturnType<typeof openPart>>
