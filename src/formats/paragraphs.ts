/** Segments to paragraphs, for formats that people read as pages. Pure. */
import type { TimedSegment } from '../domain/transcript.js'
import { endsSentence } from './atoms.js'
import { toPrintable } from './printable.js'

/** Text of one speaker without a long pause. */
export type Paragraph = { startMs: number, endMs: number, speaker?: string, text: string }

const PAUSE_MS = 2000
/** A paragraph longer than `LONG_MS` ends with its sentence; one longer than `LONGEST_MS` ends with any word. */
const LONG_MS = 60_000
const LONGEST_MS = 90_000

/**
 * Words without a speaker belong to the speaker before them, or, at the start of a recording, to the speaker after them. Paragraphs
 * without printable text are left out.
 */
export function * toParagraphs (segments: Iterable<TimedSegment>): Generator<Paragraph> {
  let open: Paragraph | undefined
  let channel: number | undefined
  for (const segment of segments) {
    for (const { text, startMs, endMs, speaker } of segment.words.length > 0 ? segment.words : [segment]) {
      const lengthMs = open ? endMs - open.startMs : 0
      if (open && (
        (speaker !== undefined && open.speaker !== undefined && speaker !== open.speaker) ||
        segment.channel !== channel ||
        startMs - open.endMs >= PAUSE_MS ||
        (lengthMs > LONG_MS && endsSentence(open.text)) ||
        lengthMs > LONGEST_MS
      )) {
        yield * close(open)
        const known: string | undefined = speaker ?? open.speaker
        open = { startMs, endMs, text, ...(known === undefined ? {} : { speaker: known }) }
      } else if (open) {
        open.text += text
        open.endMs = Math.max(open.endMs, endMs)
        if (speaker !== undefined) open.speaker = speaker
      } else {
        open = { startMs, endMs, text, ...(speaker === undefined ? {} : { speaker }) }
      }
      channel = segment.channel
    }
  }
  if (open) yield * close(open)
}

function * close (paragraph: Paragraph): Generator<Paragraph> {
  const text = toPrintable(paragraph.text).trim()
  if (text !== '') yield { ...paragraph, text }
}
