/** Thread and blog post: whole passages of the transcript, cleaned, under headings. Pure. */
import { joinList, phrasesFor } from '../artifact-phrases.js'
import { ARTIFACT_LENGTHS, MAX_POST_LENGTH, POST_NUMBER_LENGTH } from '../artifact.js'
import type { ArtifactDraft, SentenceSpan } from '../artifact.js'
import { countWords, joinSentences, shorten } from '../text-words.js'
import type { Analysed, Analysis } from './analysis.js'
import { chooseQuotes } from './quotes.js'
import { inOrder } from './ranking.js'
import type { Rated } from './ranking.js'
import { lowerFirst } from './titles.js'
import type { Topic } from './titles.js'

const POST_LENGTH = MAX_POST_LENGTH - POST_NUMBER_LENGTH

/** The beginning of a blog post. `used`: indexes of its sentences. */
export type Intro = { text: string, used: ReadonlySet<number> }

type Work = { topics: readonly Topic[], rated: readonly Rated[], analysis: Analysis, centrality: Float64Array }

/** The sentences of a topic, without the one that is its title. */
const ofTopic = ({ first, last, title }: Topic, rated: readonly Rated[]): Rated[] =>
  rated.slice(first, last + 1).filter(({ sentence }) => sentence.clean !== title)

/** The rating of a sentence together with its neighbours: passages read better than single sentences. */
function smooth (rated: readonly Rated[]): Rated[] {
  return rated.map(({ sentence, rating }, index) => {
    const around = ((rated[index - 1]?.rating ?? 0) + (rated[index + 1]?.rating ?? 0)) / 2
    return { sentence, rating: rating + 0.5 * around }
  })
}

const isUsable = ({ isCourtesy, announces, clean }: Analysed): boolean => !isCourtesy && announces === undefined && clean !== ''

/**
 * Sentences of a topic, in order, with about `words` words. A sentence that depends on the one before it brings that along; a question
 * brings its answer.
 */
function choosePassages (rated: readonly Rated[], words: number): Analysed[] {
  const usable = smooth(rated).filter(({ sentence }) => isUsable(sentence))
  const chosen = new Set<number>()
  let left = words
  function take (at: number): void {
    const sentence = usable[at]?.sentence
    if (!sentence || chosen.has(at)) return
    chosen.add(at)
    left -= sentence.length
    if (isDependent(sentence) && usable[at - 1]?.sentence.index === sentence.index - 1) take(at - 1)
    if (sentence.isQuestion) take(at + 1)
  }
  const order = usable.map((_, at) => at).sort((a, b) => (usable[b]?.rating ?? 0) - (usable[a]?.rating ?? 0))
  for (const at of order) {
    if (left <= 0) break
    const { sentence } = usable[at] ?? {}
    if (sentence && sentence.length <= left + 10) take(at)
  }
  // A passage does not end with a question that nobody answers.
  return inOrder([...chosen].flatMap((at) => usable[at]?.sentence ?? []))
}

/** Whether a sentence needs the one before it. */
const isDependent = ({ independence, length }: Analysed): boolean => independence < 0.3 && length >= 4

/** Joins sentences into posts of about the same length. The title stands above the first one. */
function toPosts (title: string, sentences: readonly Analysed[]): string[] {
  const count = packPosts(title, sentences, POST_LENGTH).length
  const total = title.length + sentences.reduce((sum, { clean }) => sum + clean.length + 1, 0)
  for (let length = Math.ceil(total / Math.max(1, count)); length < POST_LENGTH; length += 15) {
    const posts = packPosts(title, sentences, length)
    if (posts.length <= count) return posts
  }
  return packPosts(title, sentences, POST_LENGTH)
}

/** Fills posts of up to `length` characters one after the other; a longer sentence is a post by itself. */
function packPosts (title: string, sentences: readonly Analysed[], length: number): string[] {
  const posts: string[] = []
  let open = title
  for (const { clean } of sentences) {
    const text = shorten(clean, POST_LENGTH)
    const separator = open === title && title !== '' ? '\n\n' : ' '
    const joined = open === '' ? text : separator === ' ' ? joinSentences([open, text]) : open + separator + text
    if (joined.length <= length) {
      open = joined
      continue
    }
    if (open !== title) posts.push(open)
    // A title never stands alone.
    open = open === title && title !== '' ? `${title}\n\n${shorten(clean, POST_LENGTH - title.length - 2)}` : text
  }
  return open === '' || open === title ? posts : [...posts, open]
}

/** Words that fit in a post, about. */
const WORDS_IN_POST = 38

export function makeThread ({ topics, rated, analysis }: Work): ArtifactDraft {
  const { title, language } = analysis.source
  const phrases = phrasesFor(language)
  const { min, max } = ARTIFACT_LENGTHS.thread
  const said = analysis.sentences.reduce((sum, { length }) => sum + length, 0)
  const wanted = Math.min(max, Math.max(min, topics.length + 2, Math.round(said / 150))) - 2
  const name = shorten(capitalise(title), 90)
  for (let words = WORDS_IN_POST; ; words += 6) {
    const shares = shareOut(wanted, topics)
    const bodies = topics.map((topic, index) => toPosts(topic.title, choosePassages(ofTopic(topic, rated), words * (shares[index] ?? 0))))
    const count = bodies.flat().length
    if (count > max - 2) return { mode: 'thread', posts: [opening(name), ...dropLast(bodies, max - 2), phrases.lastPost(name)] }
    const isEnough = count >= wanted || words > 3 * WORDS_IN_POST
    if (isEnough) return { mode: 'thread', posts: [opening(name), ...bodies.flat(), phrases.lastPost(name)] }
  }
  function opening (name: string): string {
    const list = topics.map((topic) => `• ${topic.title}`)
    let hook = phrases.hook(name)
    for (const line of topics.length > 1 ? list : []) {
      if (hook.length + line.length + 2 > POST_LENGTH) break
      hook += (hook.includes('•') ? '\n' : '\n\n') + line
    }
    return hook
  }
}

/** Removes posts from the longest topics until `count` are left. */
function dropLast (bodies: readonly string[][], count: number): string[] {
  const kept = bodies.map((posts) => [...posts])
  for (let total = kept.flat().length; total > count; total--) {
    const longest = kept.reduce((best, posts) => posts.length > best.length ? posts : best, kept[0] ?? [])
    longest.pop()
  }
  return kept.flat()
}

/** Divides a number among topics by their length, at least 1 for each. */
function shareOut (total: number, topics: readonly Topic[]): number[] {
  const lengths = topics.map(({ first, last }) => last - first + 1)
  const all = lengths.reduce((sum, length) => sum + length, 0)
  return lengths.map((length) => Math.max(1, Math.round(total * length / all)))
}

const capitalise = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase())

/** A paragraph ends after so many words. */
const PARAGRAPH_WORDS = 65

/** Sentences as paragraphs: a new one where something was left out or another speaker begins, if it is long enough. */
function toParagraphs (sentences: readonly Analysed[]): string {
  const paragraphs: string[][] = []
  let words = 0
  for (const [index, sentence] of sentences.entries()) {
    const previous = sentences[index - 1]
    const isBreak = previous !== undefined && (previous.index !== sentence.index - 1 || previous.speaker !== sentence.speaker)
    if (paragraphs.length === 0 || (isBreak && words > PARAGRAPH_WORDS / 2) || (words > PARAGRAPH_WORDS && !isDependent(sentence))) {
      paragraphs.push([])
      words = 0
    }
    paragraphs.at(-1)?.push(sentence.clean)
    words += sentence.length
  }
  return paragraphs.map(joinSentences).join('\n\n')
}

/** A section with fewer words is left out. */
const LEAST_SECTION_WORDS = 35

/** Words of the sections together, of a transcript with `said` words. */
const blogWords = (said: number): number => Math.min(950, Math.max(560, 0.5 * said))

export function makeBlog ({ topics, rated, analysis, centrality }: Work, { text: intro, used: told }: Intro): ArtifactDraft {
  const { title } = analysis.source
  const said = analysis.sentences.reduce((sum, { length }) => sum + length, 0)
  const budget = blogWords(said)
  const total = topics.reduce((sum, { first, last }) => sum + wordsOf(analysis.sentences.slice(first, last + 1)), 0)
  const quotes = chooseQuotes(centrality, analysis, 12)
  const sections = topics.map((topic) => {
    const inside = analysis.sentences.slice(topic.first, topic.last + 1)
    const open = ofTopic(topic, rated).filter(({ sentence }) => !told.has(sentence.index))
    const sentences = choosePassages(open, budget * wordsOf(inside) / Math.max(1, total))
    const isOther = ({ first }: SentenceSpan): boolean => !told.has(first) && sentences.every(({ index }) => index !== first)
    const quote = quotes.find((span) => span.first >= topic.first && span.last <= topic.last && isOther(span))
    return { heading: topic.title, text: toParagraphs(sentences), ...(quote ? { quote } : {}) }
  })
  const full = sections.filter(({ text }) => countWords(text) >= LEAST_SECTION_WORDS)
  const used = full.length >= 2 ? full : sections.filter(({ text }) => text !== '')
  return { mode: 'blog', title: nameBlog(title, topics, analysis), intro, sections: used }
}

/** Longer titles would be cut. */
const MAX_TITLE_LENGTH = 80

/** A short title, as of a file, is followed by the first topics. */
function nameBlog (title: string, topics: readonly Topic[], { source: { language } }: Analysis): string {
  const name = capitalise(title)
  if (countWords(name) >= 3) return name
  const titles = topics.map(({ isSaid, title, keyword }) => isSaid && !/[?？]$/u.test(title) ? title : keyword)
  for (let count = Math.min(3, titles.length); count > 0; count--) {
    const long = `${name}: ${joinList(titles.slice(0, count).map((text) => lowerFirst(text, language)), phrasesFor(language))}`
    if (long.length <= MAX_TITLE_LENGTH) return long
  }
  return name
}

const wordsOf = (sentences: readonly Analysed[]): number => sentences.reduce((sum, { length }) => sum + length, 0)
