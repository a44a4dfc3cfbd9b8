/** A transcript as text to paste. Pure. */
import { toClock } from '../../recordings/clock.ts'
import type { Segment } from './segment.ts'

export type PlainTextOptions = { times: boolean, speakers: boolean }

type Paragraph = { start: number, speaker: string | undefined, texts: string[] }

/** Segments of one speaker in a row are a paragraph. With times, each segment has its own. */
function toParagraphs (segments: readonly Segment[], { times, speakers }: PlainTextOptions): Paragraph[] {
  const paragraphs: Paragraph[] = []
  for (const { start, text, speaker } of segments) {
    if (text.trim() === '') continue
    const last = paragraphs.at(-1)
    if (last && !times && (!speakers || last.speaker === speaker)) last.texts.push(text)
    else paragraphs.push({ start, speaker, texts: [text] })
  }
  return paragraphs
}

/** Texts keep the space before their first word; scripts without spaces have none. */
export function toPlainText (segments: readonly Segment[], options: PlainTextOptions): string {
  const lines = toParagraphs(segments, options).map(({ start, speaker, texts }) => [
    options.times ? `[${toClock(start)}] ` : '',
    options.speakers && speaker !== undefined ? `${speaker}: ` : '',
    texts.join('').trim()
  ].join(''))
  return lines.join(options.times ? '\n' : '\n\n')
}
