/** SubRip: numbers, times, text. */
import type { Transcript } from '../domain/transcript.js'
import { cutCues } from './cues.js'
import { formatTimecode } from './printable.js'

/** SubRip has no way to escape anything, so text is as it was said. */
export function * renderSrt (transcript: Transcript): Generator<string> {
  let number = 0
  for (const { startMs, endMs, lines } of cutCues(transcript)) {
    yield `${++number}\n${formatTimecode(startMs, ',')} --> ${formatTimecode(endMs, ',')}\n${lines.join('\n')}\n\n`
  }
}
