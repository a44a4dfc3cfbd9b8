/** Stored recordings of completed transcriptions, for players. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { buildAppliance } from './appliance.ts'
import { addCompleted } from './exports.ts'
import { decodeWhole } from './media.ts'
import { makeSegments } from './transcript.ts'

export async function serveRecordings (t: Test, settings: Record<string, string> = {}) {
  const built = await buildAppliance(t, settings)
  await built.http.listen({ port: 0, host: '127.0.0.1' })
  const { port } = built.http.server.address() as AddressInfo
  const key = built.key()
  const dataDir = t.testdirName
  /** A completed transcription of this file. `sound`: what the decoder makes of it. */
  async function add (path: string, owner = 'default') {
    const sound = await decodeWhole(path, { maxSeconds: 40_000 })
    const durationMs = Math.floor(sound.length / 32)
    const { id, stores } = addCompleted(t, dataDir, owner, { fileName: 'talk <1>.mp3', durationMs, segments: makeSegments() })
    const mediaId = stores.jobs.find(id)?.mediaId ?? 0
    const bytes = readFileSync(path)
    stores.db.prepare('UPDATE media SET file = ?, sha256 = ?, size_bytes = ? WHERE id = ?')
      .run(`recording-${id}`, createHash('sha256').update(bytes).digest('hex'), bytes.length, mediaId)
    mkdirSync(`${dataDir}/media`, { recursive: true })
    copyFileSync(path, `${dataDir}/media/recording-${id}`)
    return { id, stores, bytes, sound: sound.subarray(0, durationMs * 32), durationMs, mediaId }
  }
  return {
    ...built,
    key,
    address: `http://127.0.0.1:${port}`,
    add,
    /** A request for the audio of a transcription. */
    get: async (id: number, query = '', headers: Record<string, string> = {}, more: RequestInit = {}): Promise<Response> =>
      await fetch(`http://127.0.0.1:${port}/api/v1/transcriptions/${id}/audio${query}`, {
        ...more, headers: { authorization: `Bearer ${key}`, ...headers }
      }),
    bytesOf: async (reply: Response): Promise<Buffer> => Buffer.from(await reply.arrayBuffer())
  }
}
