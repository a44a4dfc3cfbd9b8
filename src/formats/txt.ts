/** Plain text: paragraphs with a blank line between them, no times. */
import type { Transcript } from '../domain/transcript.js'
import { toParagraphs } from './paragraphs.js'

/** Ends with a line break; empty if nothing was said. */
export function * renderTxt ({ segments }: Transcript): Generator<string> {
  let separator = ''
  for (const { text } of toParagraphs(segments)) {
    yield `${separator}${text}\n`
    separator = '\n'
  }
}
