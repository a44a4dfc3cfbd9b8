/** Makes artifacts without a language model, from sentences of the transcript. Pure; ten hours of speech take about a second. */
import { joinList, phrasesFor } from '../artifact-phrases.js'
import { ARTIFACT_LENGTHS, LONG_RECORDING_MS } from '../artifact.js'
import type { ArtifactDraft, ArtifactMode } from '../artifact.js'
import { UNSPACED } from '../scripts.js'
import { joinSentences } from '../text-words.js'
import { analyse } from './analysis.js'
import type { Analysed, Analysis, PlainSource } from './analysis.js'
import { makeBlog, makeThread } from './posts.js'
import type { Intro } from './posts.js'
import { chooseQuotes } from './quotes.js'
import { chooseDiverse, inOrder, rateCentrality, rateForSummary } from './ranking.js'
import type { Rated } from './ranking.js'
import { divideTopics } from './segmentation.js'
import type { TopicCount } from './segmentation.js'
import { lowerFirst, nameTopics } from './titles.js'
import type { Topic } from './titles.js'

/** At most one chapter for so many minutes. */
const MINUTES_A_CHAPTER = 1.75

function chapterCount ({ durationMs }: PlainSource): TopicCount {
  const { min, max } = ARTIFACT_LENGTHS.chapters
  const most = Math.round(durationMs / 60_000 / MINUTES_A_CHAPTER)
  return durationMs < LONG_RECORDING_MS ? { min: 1, max: Math.max(2, min) } : { min, max: Math.max(min + 1, Math.min(max, most)) }
}

const findTopics = (analysis: Analysis, count: TopicCount): Topic[] => nameTopics(divideTopics(analysis, count), analysis)

/** The best sentences of the transcript, at least one of each of the largest topics. */
function chooseSummary (topics: readonly Topic[], rated: readonly Rated[], count: number): Analysed[] {
  const largest = [...topics].sort((a, b) => (b.last - b.first) - (a.last - a.first)).slice(0, count)
  const chosen = largest.flatMap((topic) => chooseDiverse(rated.slice(topic.first, topic.last + 1), 1))
  const rest = rated.filter(({ sentence }) => !chosen.includes(sentence))
  return inOrder([...chosen, ...chooseDiverse(rest, Math.max(0, count - chosen.length))])
}

/** A sentence that lists the topics, if there are a few that the speakers named. */
function listTopics (topics: readonly Topic[], { source }: Analysis): string | undefined {
  const said = topics.filter(({ isSaid, title }) => isSaid && !/[?？,]/u.test(title))
  if (said.length < 3 || said.length > 6 || said.length < topics.length / 2) return undefined
  const phrases = phrasesFor(source.language)
  return phrases.covers(joinList(said.map(({ title }) => lowerFirst(title, source.language)), phrases))
}

const sentenceText = ({ clean }: Analysed): string =>
  /[.!?…。！？।]["'”’»]?$/u.test(clean) ? clean : clean + (UNSPACED.test(clean) ? '。' : '.')

function makeSummary (topics: readonly Topic[], rated: readonly Rated[], analysis: Analysis): string {
  const { max } = ARTIFACT_LENGTHS.summary
  const overview = listTopics(topics, analysis)
  const chosen = chooseSummary(topics, rated, overview === undefined ? max : max - 1)
  const fallback = analysis.sentences.filter(({ clean }) => clean !== '').slice(0, ARTIFACT_LENGTHS.summary.min)
  const sentences = chosen.length > 0 ? chosen : fallback
  return joinSentences([...(overview === undefined ? [] : [overview]), ...sentences.map(sentenceText)]) || analysis.source.title
}

/** The introduction of a blog post: its subject and the best sentences, which are not repeated in the sections. */
function makeIntro (topics: readonly Topic[], rated: readonly Rated[], analysis: Analysis): Intro {
  const overview = listTopics(topics, analysis)
  const sentences = chooseSummary(topics, rated, INTRO_SENTENCES)
  const text = joinSentences([...(overview === undefined ? [] : [overview]), ...sentences.map(sentenceText)]) || analysis.source.title
  return { text, used: new Set(sentences.map(({ index }) => index)) }
}

function makeNotes (topics: readonly Topic[], rated: readonly Rated[], analysis: Analysis, centrality: Float64Array): ArtifactDraft {
  const intro = chooseSummary(topics, rated, INTRO_SENTENCES)
  const used = new Set(intro.map(({ index }) => index))
  const details = topics.map((topic) => {
    const inside = rated.slice(topic.first, topic.last + 1)
      .filter(({ sentence }) => !used.has(sentence.index) && sentence.announces === undefined)
    return joinSentences(inOrder(chooseDiverse(inside, topics.length < 7 ? 2 : 1)).map(sentenceText))
  })
  return {
    mode: 'show-notes',
    intro: joinSentences(intro.map(sentenceText)) || analysis.source.title,
    topics: topics.map(({ title, first }, index) => ({ title, sentence: first, detail: details[index] ?? '' })),
    quotes: chooseQuotes(centrality, analysis, 3).filter(({ first }) => !used.has(first))
  }
}

/** Sentences of the intro of show notes and of a blog post. */
const INTRO_SENTENCES = 3

/** Quotes: one for so many words. */
const WORDS_A_QUOTE = 120

function quoteCount ({ sentences }: Analysis): number {
  const { min, max } = ARTIFACT_LENGTHS.quotes
  const words = sentences.reduce((sum, { length }) => sum + length, 0)
  return Math.min(max, Math.max(min, Math.round(words / WORDS_A_QUOTE)))
}

/** Makes the draft of an artifact. The source must have sentences. */
export function extract (mode: ArtifactMode, source: PlainSource): ArtifactDraft {
  const analysis = analyse(source)
  const usual = chapterCount(source)
  const topics = findTopics(analysis, mode === 'blog' ? { min: Math.min(3, usual.min), max: Math.min(6, usual.max) } : usual)
  const centrality = rateCentrality(topics, analysis)
  const rated = rateForSummary(centrality, analysis)
  switch (mode) {
    case 'summary': return { mode, text: makeSummary(topics, rated, analysis) }
    case 'chapters': return { mode, chapters: topics.map(({ title, first }) => ({ title, sentence: first })) }
    case 'quotes': return { mode, quotes: chooseQuotes(centrality, analysis, quoteCount(analysis)) }
    case 'show-notes': return makeNotes(topics, rated, analysis, centrality)
    case 'thread': return makeThread({ topics, rated, analysis, centrality })
    case 'blog': return makeBlog({ topics, rated, analysis, centrality }, makeIntro(topics, rated, analysis))
  }
}
