/** Plain text: the words, no times. */
import type { Transcript } from '../domain/transcript.js'

/** One line per segment would cut sentences where the decoder did; the text is one paragraph and a final newline. */
export function * renderTxt ({ segments }: Transcript): Generator<string> {
  // White space is held back until text follows, so that there is none at either end.
  let space: string | undefined
  for (const { text } of segments) {
    const start = space === undefined ? text.trimStart() : text
    const kept = start.trimEnd()
    if (kept !== '') yield (space ?? '') + kept
    if (kept !== '') space = ''
    if (space !== undefined) space += start.slice(kept.length)
  }
  if (space !== undefined) yield '\n'
}
