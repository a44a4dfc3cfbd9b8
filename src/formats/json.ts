/** JSON: segments and words with times in seconds. */
import { toSeconds } from '../domain/transcript.js'
import type { SkippedSpan, TimedSegment, Transcript, TranscriptDocument } from '../domain/transcript.js'

const round3 = (value: number): number => Math.round(value * 1000) / 1000

function toWireSegment (segment: TimedSegment, id: number): TranscriptDocument['segments'][number] {
  return {
    id,
    start: toSeconds(segment.startMs),
    end: toSeconds(segment.endMs),
    text: segment.text,
    ...(segment.speaker === undefined ? {} : { speaker: segment.speaker }),
    ...(segment.channel === undefined ? {} : { channel: segment.channel }),
    words: segment.words.map(({ text, startMs, endMs, probability, speaker, speakerConfidence, isOverlap }) => ({
      word: text,
      start: toSeconds(startMs),
      end: toSeconds(endMs),
      probability,
      ...(speaker === undefined ? {} : { speaker }),
      ...(speakerConfidence === undefined ? {} : { speakerConfidence: round3(speakerConfidence) }),
      ...(isOverlap ? { overlap: true } : {})
    }))
  }
}

function toWireSkipped ({ startMs, endMs, reason, probability, levelDb }: SkippedSpan): TranscriptDocument['skipped'][number] {
  return { start: toSeconds(startMs), end: toSeconds(endMs), reason, speechProbability: round3(probability), levelDb: Math.round(levelDb) }
}

/** Renders segments as a JSON array, segment by segment. */
export function * renderSegments (segments: Iterable<TimedSegment>): Generator<string> {
  yield '['
  let index = 0
  for (const segment of segments) {
    yield (index === 0 ? '' : ',') + JSON.stringify(toWireSegment(segment, index))
    index++
  }
  yield ']'
}

/** Renders a `TranscriptDocument`, segment by segment. */
export function * renderJson ({ id, language, durationMs, warnings, skipped, segments }: Transcript): Generator<string> {
  const head = {
    transcriptionId: id,
    ...(language === undefined ? {} : { language }),
    durationSeconds: toSeconds(durationMs),
    warnings,
    skipped: skipped.map(toWireSkipped)
  }
  yield JSON.stringify(head).slice(0, -1) + ',"segments":'
  yield * renderSegments(segments)
  yield '}'
}
