/** How high rows will be, in CSS pixels, as Text.module.css makes them. A row that is measured later moves nothing if it is right. Pure. */
import type { Segment } from '../model/segment.ts'

const LINE = 28
const ROW_SPACE = 12
const SPEAKER_SPACE = 34
const GUTTER = 116
const CHARACTER = 8
/** Narrower lists have the times above the text. */
const NARROW = 560

type Sized = Pick<Segment, 'text' | 'speaker'>

/** `sample`: segments whose mean height stands for those that are not loaded. `width`: of the list. */
export function estimateRows (segments: ReadonlyArray<Sized | undefined>, sample: readonly Sized[], width: number): Float64Array {
  const perLine = Math.max(20, (width - (width > NARROW ? GUTTER : 40)) / CHARACTER)
  function sizeOf ({ text, speaker }: Sized, before: Sized | undefined): number {
    const lines = Math.max(1, Math.ceil(text.length / perLine))
    return lines * LINE + ROW_SPACE + (speaker !== undefined && speaker !== before?.speaker ? SPEAKER_SPACE : 0)
  }
  const usual = sample.reduce((sum, segment, place) => sum + sizeOf(segment, sample[place - 1]), 0) / Math.max(1, sample.length)
  return Float64Array.from(segments, (segment, place) => segment ? sizeOf(segment, segments[place - 1]) : usual)
}
