/** A completed transcription over HTTP, ready to be edited. */
import type { Test } from 'tap'
import { measureSpeakers } from '../../dist/domain/speaker-names.js'
import type { TimedSegment } from '../../dist/domain/transcript.js'
import { buildAppliance } from './appliance.ts'
import type { Injected } from './appliance.ts'
import { addCompleted } from './exports.ts'

export type Segment = {
  id: string, start: number, end: number, text: string, revision: number, edited: boolean, speaker?: string, speakerLabel?: string
  words: Array<{ word: string, start: number, end: number, probability: number, edited?: true, speaker?: string }>
}
type Page = { revision: number, total: number, offset: number, segments: Segment[], next: string | null }

/** Segments of words of 200 ms each; a second of silence after each segment. Speakers take turns. */
export function makeSpoken (texts: readonly string[]): TimedSegment[] {
  let atMs = 0
  return texts.map((text, index) => {
    const speaker = `Speaker ${1 + index % 2}`
    const startMs = atMs
    const words = (text.match(/\s*\S+/gu) ?? []).map((word, place) =>
      ({ text: word, startMs: startMs + 200 * place, endMs: startMs + 200 * (place + 1), probability: 0.5, speaker }))
    const endMs = startMs + 200 * words.length
    atMs = endMs + 1000
    return { startMs, endMs, text, words, speaker }
  })
}

export async function buildEdited (t: Test, texts: readonly string[], now?: () => number) {
  const built = await buildAppliance(t, {}, now)
  const spoken = makeSpoken(texts)
  const durationMs = (spoken.at(-1)?.endMs ?? 0) + 1000
  const { id, stores } = addCompleted(t, t.testdirName, 'default', { fileName: 'talk.mp3', durationMs, segments: spoken })
  stores.speakers.request(id, {})
  stores.speakers.replace(id, measureSpeakers(spoken))
  stores.speakers.setDone(id, { isSubstitute: false })
  const key = built.key()
  const url = `/api/v1/transcriptions/${id}`
  const call = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Injected> =>
    await built.call(key, method, `${url}${path}`, body)
  return {
    ...built,
    id,
    key,
    stores,
    url,
    request: call,
    page: async (query = ''): Promise<Page> => (await call('GET', `/segments${query}`)).body.data as unknown as Page,
    edit: async (segmentId: string, text: string, base: number) => await call('PATCH', `/segments/${segmentId}`, { text, base }),
    undo: async (revision?: number) => await call('POST', '/undo', revision === undefined ? {} : { revision }),
    exported: async (format: string): Promise<string> =>
      (await built.http.inject({ url: `${url}/export?format=${format}`, headers: { authorization: `Bearer ${key}` } })).payload
  }
}
