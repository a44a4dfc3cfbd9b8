/** Segments for tests of the page's logic. */
import type { Segment } from '../../src/dashboard/transcript/model/segment.ts'

/** A segment of words of half a second each, one after another. */
export function segmentOf (place: number, text: string, more: Partial<Segment> = {}): Segment {
  const start = more.start ?? place * 10
  const words = text.split(' ').map((word, index) =>
    ({ word: ` ${word}`, start: start + index / 2, end: start + index / 2 + 0.4, probability: 0.9 }))
  return { id: `${place}.0`, revision: 0, start, end: start + words.length / 2, text: ` ${text}`, edited: false, words, ...more }
}
