/** Transcripts: segments of words with times and probabilities. */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Channel } from './channels.js'
import { Warning } from './warnings.js'

const WHEN_KNOWN = 'only on plans with diarization'

export const Word = Type.Object({
  word: Type.String(),
  start: Type.Number({ description: 'seconds from the start of the recording' }),
  end: Type.Number(),
  probability: Type.Number({ minimum: 0, maximum: 1, description: 'confidence of the model' }),
  speaker: Type.Optional(Type.String({ description: 'who says it: a name if given, else a label such as "Speaker 1"; ' + WHEN_KNOWN })),
  speakerConfidence: Type.Optional(Type.Number({
    minimum: 0, maximum: 1, description: 'only if it is doubtful who says it: how certain the speaker is'
  })),
  overlap: Type.Optional(Type.Boolean({ description: 'true: somebody else talks at the same time, as far as that is known' }))
}, { title: 'Word', additionalProperties: false })

export const Segment = Type.Object({
  id: Type.Integer({ minimum: 0 }),
  start: Type.Number(),
  end: Type.Number(),
  text: Type.String(),
  speaker: Type.Optional(Type.String({ description: 'who says most of it; ' + WHEN_KNOWN })),
  channel: Type.Optional(Type.Integer({
    minimum: 1, description: 'where it is heard: 1 is the left channel, 2 the right one; only if the channels were transcribed one by one'
  })),
  words: Type.Array(Word)
}, { title: 'Segment', additionalProperties: false })

export const Skipped = Type.Object({
  start: Type.Number({ description: 'seconds from the start of the recording' }),
  end: Type.Number(),
  reason: Type.Enum(['silence', 'noise'], {
    description: 'silence: as quiet as the quietest parts of the recording; noise: louder, but without speech'
  }),
  speechProbability: Type.Number({ minimum: 0, maximum: 1, description: 'highest speech probability of any 32 ms in it' }),
  levelDb: Type.Number({ description: 'level of the loudest 32 ms, in dB of full scale' })
}, { title: 'Skipped', additionalProperties: false })

/** The json export. */
export const TranscriptDocument = Type.Object({
  transcriptionId: Type.Integer(),
  language: Type.Optional(Type.String({ description: 'ISO 639-1 code; absent if there is no speech' })),
  durationSeconds: Type.Number(),
  warnings: Type.Array(Warning, { description: 'problems with the text; usually empty' }),
  skipped: Type.Array(Skipped, { description: 'parts of the recording that were not transcribed, in order of time' }),
  segments: Type.Array(Segment)
}, {
  title: 'TranscriptDocument',
  additionalProperties: false,
  examples: [{
    transcriptionId: 42,
    language: 'en',
    durationSeconds: 2.7,
    warnings: [],
    skipped: [],
    segments: [{
      id: 0, start: 0.3, end: 0.9, text: ' The meeting', words: [
        { word: ' The', start: 0.3, end: 0.45, probability: 0.98 }, { word: ' meeting', start: 0.45, end: 0.9, probability: 0.95 }
      ]
    }]
  }]
})
export type TranscriptDocument = Static<typeof TranscriptDocument>

/** A word as stored, in integer milliseconds. It keeps its leading space, so that a segment's text is its words joined. */
export type TimedWord = {
  text: string
  startMs: number
  endMs: number
  probability: number
  speaker?: string
  /** 0..1; absent: the speaker is not in doubt. */
  speakerConfidence?: number
  /** Somebody else talks at the same time. */
  isOverlap?: boolean
}

/**
 * A segment as stored, in milliseconds from the start of the recording. `channel`: where it is heard, if channels were transcribed one by
 * one. Segments of different channels may overlap.
 */
export type TimedSegment = { startMs: number, endMs: number, text: string, words: TimedWord[], speaker?: string, channel?: Channel }

/**
 * A part of the recording that was not transcribed. `probability`: of the frame that is likeliest to be speech. `levelDb`: of the loudest
 * frame, in dB of full scale.
 */
export type SkippedSpan = { startMs: number, endMs: number, reason: 'silence' | 'noise', probability: number, levelDb: number }

export type Transcript = {
  id: number
  fileName: string
  /** ISO 639-1 where the language has such a code. Undefined when nothing was said and the caller named no language. */
  language: string | undefined
  durationMs: number
  /** The address it was fetched from; absent for uploads. */
  sourceUrl?: string
  /** Milliseconds since 1970; absent if the source does not say. */
  publishedAt?: number
  /** When the job completed, in milliseconds since 1970. */
  completedAt?: number
  warnings: readonly Warning[]
  /** Names of speakers that docx shows. Absent: none. */
  shownSpeakers?: ReadonlySet<string>
  /** What was not transcribed, in order. */
  skipped: readonly SkippedSpan[]
  /** In order. Segments of a stored transcript are read lazily and can be iterated once. */
  segments: Iterable<TimedSegment>
}

/**
 * The whole text: segments joined. Segments keep the space that the decoder put before their first word (languages without spaces have
 * none), so no separator is needed.
 */
export function transcriptText (segments: ReadonlyArray<Pick<TimedSegment, 'text'>>): string {
  return segments.map((segment) => segment.text).join('').trim()
}

/** Converts milliseconds to seconds, with at most three decimals. */
export function toSeconds (ms: number): number {
  return ms / 1000
}
