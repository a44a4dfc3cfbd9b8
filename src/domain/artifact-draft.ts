/** Checks what an engine made, and copies times and quoted words from the transcript. Pure. */
import { ArtifactError } from './artifact-error.js'
import { ARTIFACT_LENGTHS, LONG_RECORDING_MS, MAX_POST_LENGTH, POST_NUMBER_LENGTH } from './artifact.js'
import type { ArtifactDraft, ArtifactMode, ArtifactSource, Chapter, Quote, SentenceSpan, TopicDraft } from './artifact.js'
import { countWords, joinSentences, shorten, splitSentences, toLine } from './text-words.js'

/** An artifact with true times and words, not rendered yet. */
export type CheckedDraft =
  | { mode: 'summary', text: string }
  | { mode: 'chapters', chapters: Chapter[] }
  | { mode: 'quotes', quotes: Quote[] }
  | { mode: 'show-notes', intro: string, topics: Array<Chapter & { detail?: string }>, quotes: Quote[] }
  | { mode: 'thread', posts: string[] }
  | { mode: 'blog', title: string, intro: string, sections: CheckedSection[], callToAction?: string }
export type CheckedSection = { heading: string, paragraphs: string[], quote?: Quote }

const MAX_TITLE_LENGTH = 80
const MAX_DETAIL_LENGTH = 240
/** A quote has at most so many sentences and words. */
const QUOTE_LIMITS = { sentences: 4, words: 80 }

/** The least length that an artifact of this transcript must have; 0: any. Sentences, entries, words or posts, as in `ARTIFACT_LENGTHS`. */
export function leastLength (mode: ArtifactMode, { durationMs, sentences }: ArtifactSource): number {
  const { min } = ARTIFACT_LENGTHS[mode]
  // A loop of the decoder says nothing new.
  const texts = [...new Set(sentences.map(({ text }) => text))]
  const words = texts.reduce((sum, text) => sum + countWords(text), 0)
  const isEnough = {
    summary: texts.length >= 12 && words >= 120,
    chapters: durationMs >= LONG_RECORDING_MS && texts.length >= 40,
    quotes: texts.length >= 30 && words >= 300,
    'show-notes': words >= 600,
    thread: texts.length >= 30 && words >= 400,
    blog: words >= 900
  }[mode]
  return isEnough ? min : 0
}

const isIndex = (value: number, { sentences }: ArtifactSource): boolean => Number.isInteger(value) && value >= 0 && value < sentences.length

/** Chapters in order of time; the first starts at 0. Entries without a title or with an unknown sentence are dropped. */
function placeTopics<T extends TopicDraft> (topics: readonly T[], source: ArtifactSource): Array<T & Chapter> {
  const placed: Array<T & Chapter> = []
  const usable = topics.filter((topic) => isIndex(topic.sentence, source)).sort((a, b) => a.sentence - b.sentence)
  for (const topic of usable) {
    const title = shorten(toLine(topic.title), MAX_TITLE_LENGTH)
    const startMs = placed.length === 0 ? 0 : source.sentences[topic.sentence]?.startMs ?? 0
    const isAfter = placed.length === 0 || (startMs > (placed.at(-1)?.startMs ?? 0) && startMs < source.durationMs)
    if (title !== '' && isAfter) placed.push({ ...topic, title, startMs })
  }
  while (placed.length > ARTIFACT_LENGTHS.chapters.max) placed.splice(shortestOf(placed, source.durationMs), 1)
  return placed
}

/** The index of the shortest chapter, never the first one. */
function shortestOf (chapters: readonly Chapter[], durationMs: number): number {
  const lengths = chapters.map(({ startMs }, index) => (chapters[index + 1]?.startMs ?? durationMs) - startMs)
  return lengths.reduce((best, length, index) => index > 0 && (best === 0 || length < (lengths[best] ?? 0)) ? index : best, 0)
}

/** The last sentence of a quote that begins with `first`: one speaker, and not too long. */
function lastOfQuote ({ first, last }: SentenceSpan, { sentences }: ArtifactSource): number {
  let end = first
  let words = countWords(sentences[first]?.text ?? '')
  while (end < last && end - first + 1 < QUOTE_LIMITS.sentences) {
    const next = sentences[end + 1]
    words += countWords(next?.text ?? '')
    if (!next || next.speaker !== sentences[first]?.speaker || words > QUOTE_LIMITS.words) break
    end++
  }
  return end
}

function copyQuote (span: SentenceSpan, source: ArtifactSource): Quote | undefined {
  const sentences = source.sentences.slice(span.first, span.last + 1)
  const words = sentences.flatMap((sentence) => sentence.words)
  const [first] = words
  if (!first) return undefined
  const { speaker } = sentences[0] ?? {}
  return {
    text: words.map(({ text }) => text).join('').trim(),
    startMs: first.startMs,
    endMs: words.reduce((latest, { endMs }) => Math.max(latest, endMs), first.endMs),
    ...(speaker === undefined ? {} : { speaker })
  }
}

/**
 * Copies the words and times of quotes, the first ones up to `limit`, in order of time. Unknown sentences and spans that overlap an earlier
 * one are dropped; long spans end earlier.
 */
function copyQuotes (spans: readonly SentenceSpan[], source: ArtifactSource, limit: number): Quote[] {
  const taken: SentenceSpan[] = []
  for (const { first, last } of spans) {
    if (!isIndex(first, source) || !isIndex(last, source) || first > last || taken.length === limit) continue
    const span = { first, last: lastOfQuote({ first, last }, source) }
    if (taken.every((other) => span.last < other.first || span.first > other.last)) taken.push(span)
  }
  return taken.sort((a, b) => a.first - b.first).flatMap((span) => copyQuote(span, source) ?? [])
}

/** Paragraphs of a text whose paragraphs are separated by empty lines. */
const toParagraphs = (text: string): string[] => text.split(/\n\s*\n/).map(toLine).filter((paragraph) => paragraph !== '')

/** Shortens the longest section, sentence by sentence, until all sections together have at most `limit` words. */
function limitSections (sections: readonly CheckedSection[], limit: number): CheckedSection[] {
  const bodies = sections.map(({ paragraphs }) => paragraphs.map(splitSentences))
  const size = (body: readonly string[][]): number => countWords(body.flat().join(' '))
  const sizes = bodies.map(size)
  let total = sizes.reduce((sum, words) => sum + words, 0)
  while (total > limit) {
    const longest = sizes.indexOf(Math.max(...sizes))
    const body = bodies[longest] ?? []
    const removed = body.at(-1)?.pop() ?? ''
    if (body.at(-1)?.length === 0) body.pop()
    const words = Math.max(1, countWords(removed))
    sizes[longest] = (sizes[longest] ?? 0) - words
    total -= words
  }
  return sections.map((section, index) => ({ ...section, paragraphs: (bodies[index] ?? []).map((sentences) => joinSentences(sentences)) }))
}

type Notes = CheckedDraft & { mode: 'show-notes' }

/** Words of headings, times and the placeholder of links, about. */
const FIXED_NOTES_WORDS = 20

/** Leaves out the longest details, then quotes, then the end of the intro, until the notes are short enough. */
function limitNotes ({ intro, topics, quotes }: Notes, { title }: ArtifactSource): Notes {
  const notes: Notes = { mode: 'show-notes', intro, topics: topics.map((topic) => ({ ...topic })), quotes: [...quotes] }
  // A time such as 01:02:03 has three words.
  const limit = ARTIFACT_LENGTHS['show-notes'].max - FIXED_NOTES_WORDS - countWords(title) - 3 * (topics.length + quotes.length)
  while (lengthOf(notes) > limit) {
    const sizes = notes.topics.map(({ detail = '' }) => countWords(detail))
    const longest = notes.topics[sizes.indexOf(Math.max(0, ...sizes))]
    const sentences = splitSentences(notes.intro)
    if (longest?.detail !== undefined) delete longest.detail
    else if (notes.quotes.length > 0) notes.quotes.pop()
    else if (sentences.length > 1) notes.intro = joinSentences(sentences.slice(0, -1))
    else return { ...notes, intro: shorten(notes.intro, MAX_DETAIL_LENGTH) }
  }
  return notes
}

function checkBlog (draft: ArtifactDraft & { mode: 'blog' }, source: ArtifactSource): CheckedDraft {
  const sections = draft.sections.map(({ heading, text, quote }) => {
    const [copied] = quote ? copyQuotes([quote], source, 1) : []
    return { heading: shorten(toLine(heading), MAX_TITLE_LENGTH), paragraphs: toParagraphs(text), ...(copied ? { quote: copied } : {}) }
  }).filter(({ heading, paragraphs }) => heading !== '' && paragraphs.length > 0)
  const title = shorten(toLine(draft.title), MAX_TITLE_LENGTH)
  const intro = toLine(draft.intro)
  const callToAction = toLine(draft.callToAction ?? '')
  const around = [title, intro, callToAction, ...sections.flatMap(({ heading, quote }) => [heading, quote?.text ?? ''])].join(' ')
  // The catalogue adds a call to action where the draft has none.
  const reserved = countWords(around) + (callToAction === '' ? 40 : 0)
  return {
    mode: 'blog',
    title,
    intro,
    sections: limitSections(sections, ARTIFACT_LENGTHS.blog.max - reserved),
    ...(callToAction === '' ? {} : { callToAction })
  }
}

function check (draft: ArtifactDraft, source: ArtifactSource): CheckedDraft {
  switch (draft.mode) {
    case 'summary':
      return { mode: 'summary', text: joinSentences(splitSentences(toLine(draft.text)).slice(0, ARTIFACT_LENGTHS.summary.max)) }
    case 'chapters':
      return { mode: 'chapters', chapters: placeTopics(draft.chapters, source).map(({ title, startMs }) => ({ title, startMs })) }
    case 'quotes':
      return { mode: 'quotes', quotes: copyQuotes(draft.quotes, source, ARTIFACT_LENGTHS.quotes.max) }
    case 'show-notes': {
      const topics = placeTopics(draft.topics, source).map(({ title, startMs, detail = '' }) => {
        const line = shorten(toLine(detail), MAX_DETAIL_LENGTH)
        return { title, startMs, ...(line === '' ? {} : { detail: line }) }
      })
      const quotes = copyQuotes(draft.quotes ?? [], source, 3)
      return limitNotes({ mode: 'show-notes', intro: toLine(draft.intro), topics, quotes }, source)
    }
    case 'thread': {
      const posts = draft.posts.map((post) => shorten(toPost(post), MAX_POST_LENGTH - POST_NUMBER_LENGTH)).filter((post) => post !== '')
      return { mode: 'thread', posts: posts.slice(0, ARTIFACT_LENGTHS.thread.max) }
    }
    case 'blog':
      return checkBlog(draft, source)
  }
}

/** Posts keep their line breaks. */
const toPost = (text: string): string => text.split('\n').map(toLine).join('\n').replace(/\n{3,}/g, '\n\n').trim()

function lengthOf (checked: CheckedDraft): number {
  switch (checked.mode) {
    case 'summary': return splitSentences(checked.text).length
    case 'chapters': return checked.chapters.length
    case 'quotes': return checked.quotes.length
    case 'thread': return checked.posts.length
    case 'show-notes': {
      const topics = checked.topics.flatMap(({ title, detail = '' }) => [title, detail])
      return countWords([checked.intro, ...topics, ...checked.quotes.map(({ text }) => text)].join(' '))
    }
    case 'blog': {
      const sections = checked.sections.flatMap(({ heading, paragraphs }) => [heading, ...paragraphs])
      return countWords([checked.intro, ...sections].join(' '))
    }
  }
}

/** How much of the least length is enough: the fixed texts around a draft have words too. */
const ENOUGH: Record<ArtifactMode, number> = { summary: 1, chapters: 1, quotes: 1, thread: 1, 'show-notes': 0.8, blog: 0.9 }

/** `full`: refuse what is too short for the transcript. `any`: accept what there is, because no other engine can do better. */
export type Demand = 'full' | 'any'

/**
 * Checks a draft against the rules of its mode and resolves its sentence indexes to times and words. What is too long is shortened, what
 * refers to unknown sentences is dropped. Throws ArtifactError `unusable` when too little is left for the demand, or the draft has another
 * mode.
 */
export function checkDraft (draft: ArtifactDraft, mode: ArtifactMode, source: ArtifactSource, demand: Demand = 'full'): CheckedDraft {
  if (draft.mode !== mode) throw new ArtifactError('unusable', `asked for ${mode}, got ${draft.mode}`)
  const checked = check(draft, source)
  const least = Math.max(leastLength(mode, source) * ENOUGH[mode], source.sentences.length > 0 ? 1 : 0)
  const length = lengthOf(checked)
  if (length < least && demand === 'full') throw new ArtifactError('unusable', `${mode}: ${length} where at least ${least} were expected`)
  return checked
}
