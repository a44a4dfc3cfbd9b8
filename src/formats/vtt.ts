/** WebVTT: times and text. */
import type { Transcript } from '../domain/transcript.js'
import { cutCues } from './cues.js'
import { formatTimecode } from './printable.js'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes text: without `<` and `&` there are no tags, without `>` no arrow. */
const escapeCue = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)

export function * renderVtt (transcript: Transcript): Generator<string> {
  yield 'WEBVTT\n\n'
  for (const { startMs, endMs, lines } of cutCues(transcript)) {
    yield `${formatTimecode(startMs, '.')} --> ${formatTimecode(endMs, '.')}\n${lines.map(escapeCue).join('\n')}\n\n`
  }
}
