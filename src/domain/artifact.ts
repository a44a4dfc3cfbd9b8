/** Artifacts: what is made from a transcript. Types of what goes into an engine, and of what comes out. */
import type { TimedWord } from './transcript.js'

/** Artifacts that are stored at the first call. */
export const STORED_MODES = ['summary', 'chapters', 'quotes'] as const
export type StoredMode = typeof STORED_MODES[number]

export const ARTIFACT_MODES = [...STORED_MODES, 'show-notes', 'thread', 'blog'] as const
export type ArtifactMode = typeof ARTIFACT_MODES[number]

export type ArtifactEngineName = 'extractive' | 'llm'

/** How long each artifact should be: sentences, entries, words or posts. A short transcript gives less than `min`. */
export const ARTIFACT_LENGTHS = {
  summary: { min: 3, max: 5 },
  chapters: { min: 5, max: 15 },
  quotes: { min: 5, max: 10 },
  'show-notes': { min: 200, max: 400 },
  thread: { min: 8, max: 15 },
  blog: { min: 600, max: 1200 }
} as const satisfies Record<ArtifactMode, { min: number, max: number }>

/** From this length on, a recording has at least the usual number of chapters. */
export const LONG_RECORDING_MS = 10 * 60_000

/** The longest post of a thread in UTF-16 code units, its number included. */
export const MAX_POST_LENGTH = 280
/** The length of the number of a post, such as "12/15 ". */
export const POST_NUMBER_LENGTH = 6

/** One sentence of a transcript. `text`: the words joined, without white space at either end. */
export type Sentence = {
  text: string
  startMs: number
  endMs: number
  speaker?: string
  /** Never empty. Words keep their leading space. */
  words: ReadonlyArray<Pick<TimedWord, 'text' | 'startMs' | 'endMs'>>
}

/** The vector of a stretch of the transcript, from the search index. Only its direction counts. */
export type PassageVector = { startMs: number, endMs: number, vector: Float32Array }

/** What an engine works from. */
export type ArtifactSource = {
  /** ISO 639-1 where the language has such a code. Undefined when nothing was said. */
  language: string | undefined
  title: string
  durationMs: number
  /** In order of time. */
  sentences: readonly Sentence[]
  /** In order of time. Absent: the transcript is not indexed, or its language is not one that the embedding model knows. */
  passages?: readonly PassageVector[]
}

/** Sentences `first` to `last` of the source, both included. */
export type SentenceSpan = { first: number, last: number }

/** A title, and the index of the sentence with which it begins. */
export type TopicDraft = { title: string, sentence: number }

/**
 * What an engine makes. It holds no times and no quoted words, only indexes of sentences: times and words are copied from the transcript,
 * so that an engine cannot invent them. Texts are plain text without Markdown. Paragraphs of a section are separated by empty lines.
 */
export type ArtifactDraft =
  | { mode: 'summary', text: string }
  | { mode: 'chapters', chapters: readonly TopicDraft[] }
  | { mode: 'quotes', quotes: readonly SentenceSpan[] }
  | { mode: 'show-notes', intro: string, topics: ReadonlyArray<TopicDraft & { detail?: string }>, quotes?: readonly SentenceSpan[] }
  | { mode: 'thread', posts: readonly string[] }
  | { mode: 'blog', title: string, intro: string, sections: readonly BlogSection[], callToAction?: string }

export type BlogSection = { heading: string, text: string, quote?: SentenceSpan }

export type Chapter = { title: string, startMs: number }
export type Quote = { text: string, startMs: number, endMs: number, speaker?: string }

/** A checked artifact. `content`: what people paste. */
export type ArtifactContent = { content: string, chapters?: Chapter[], quotes?: Quote[] }

export type Artifact = ArtifactContent & {
  mode: ArtifactMode
  engine: ArtifactEngineName
  /** Milliseconds since 1970. */
  generatedAt: number
}
