/** Plain text: the words, no times. */
import { transcriptText } from '../domain/transcript.js'
import type { Transcript } from '../domain/transcript.js'

/** One line per segment would cut sentences where the decoder did; the text is one paragraph and a final newline. */
export function renderTxt ({ segments }: Transcript): string {
  const text = transcriptText(segments)
  return text === '' ? '' : text + '\n'
}
