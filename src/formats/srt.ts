/** SubRip: numbers, times, text. */
import type { Transcript } from '../domain/transcript.js'
import { cutCues } from './cues.js'
import { formatTimecode } from './printable.js'

/** SubRip has no escapes, so the text is written unchanged. */
export function * renderSrt (transcript: Transcript): Generator<string> {
  let number = 0
  for (const { startMs, endMs, lines } of cutCues(transcript)) {
    yield `${++number}\n${formatTimecode(startMs, ',')} --> ${formatTimecode(endMs, ',')}\n${lines.join('\n')}\n\n`
  }
}
