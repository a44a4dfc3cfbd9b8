/** Makes the drafts of artifacts with a language model. The model chooses sentences and writes text around them; code does the rest. */
import { ArtifactError } from '../../../domain/artifact-error.js'
import { leastLength } from '../../../domain/artifact-draft.js'
import { ARTIFACT_LENGTHS } from '../../../domain/artifact.js'
import type { ArtifactDraft, ArtifactMode, ArtifactSource, SentenceSpan, TopicDraft } from '../../../domain/artifact.js'
import { countWords, shorten } from '../../../domain/text-words.js'
import type { Asker, PartAnswer } from './ask.js'
import { cutSpan } from './chunks.js'
import { cleanProse, cleanTitle } from './clean.js'
import type { Grounding } from './clean.js'
import { list, numberFrom, object, string } from './schema.js'
import type { AnswerSchema } from './schema.js'

type Work = { asker: Asker, source: ArtifactSource, grounding: Grounding }

/** Of sentences that can be a quote: long enough to say something, short enough to be repeated. */
const QUOTE_WORDS = { min: 6, max: 60 }
const TITLE_CHARACTERS = 70
/** One possible chapter for this time; a model says which of them are none. */
const CHAPTER_MS = 4 * 60_000
const TOPICS = 7
const POSTS = 10
const SECTIONS = 5

// ---------------------------------------------------------------- reading answers

const read = (answer: unknown, name: string): unknown =>
  typeof answer === 'object' && answer !== null && name in answer ? (answer as Record<string, unknown>)[name] : undefined
const readText = (answer: unknown, name: string): string => {
  const value = read(answer, name)
  return typeof value === 'string' ? value : ''
}
const readTexts = (answer: unknown, name: string): string[] => {
  const value = read(answer, name)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The sentence that an answer chose, if it is in its part. */
function readSentence ({ answer, offset, span }: PartAnswer, name: string): number | undefined {
  const value = read(answer, name)
  const sentence = typeof value === 'number' ? value + offset : -1
  return sentence >= span.first && sentence <= span.last ? sentence : undefined
}

/** About `count` parts, fewer for a short transcript. */
const partsFor = ({ sentences }: ArtifactSource, count: number, sentencesEach: number): number =>
  Math.max(1, Math.min(count, Math.floor(sentences.length / sentencesEach)))

/** The model's title, or the beginning of the sentence that the topic starts with. */
function titleOf (text: string, sentence: number, { source, grounding }: Work): string {
  return cleanTitle(text, TITLE_CHARACTERS, grounding) || shorten(source.sentences[sentence]?.text ?? '', TITLE_CHARACTERS)
}

/** Lets the model choose one of each of `limit` groups of neighbours, if there are more than `limit`. */
async function chooseAmong<T> (items: readonly T[], limit: number, describe: (item: T) => string, { asker }: Work): Promise<T[]> {
  if (items.length <= limit) return [...items]
  const groups = cutSpan({ first: 0, last: items.length - 1 }, limit)
  const schema = object(Object.fromEntries(groups.map(({ first, last }, index) => [String(index + 1), numberFrom(first + 1, last + 1)])))
  const task = 'These are notes about the whole recording, in order. For each group, answer with the number of the most important note. ' +
    groups.map(({ first, last }, index) => `Group ${index + 1}: ${first + 1} to ${last + 1}.`).join(' ')
  const answer = await asker.ask(items.map((item, index) => `[${index + 1}] ${describe(item)}`), task, schema)
  return groups.flatMap(({ first, last }, index) => {
    const value = read(answer, String(index + 1))
    const chosen = typeof value === 'number' && value - 1 >= first && value - 1 <= last ? value - 1 : first
    return items[chosen] ?? []
  })
}

// ---------------------------------------------------------------- modes

const proseSchema = (name: string, characters: number, min: number, max: number): AnswerSchema =>
  object({ [name]: list(string(20, characters), min, max) })

const cleanTexts = (texts: readonly string[], characters: number, grounding: Grounding): string[] =>
  texts.map((text) => cleanProse(text, characters, grounding)).filter((text) => text !== '')
const joinProse = (texts: readonly string[], characters: number, grounding: Grounding): string =>
  cleanTexts(texts, characters, grounding).join(' ')

const NOTES_TASK = 'List the main points, each in one sentence with its facts and names. Answer like {"points": ["…", "…"]}.'

/** An answer about notes. Too many notes are condensed piece by piece. */
async function askAbout (notes: readonly string[], task: string, schema: AnswerSchema, { asker, grounding }: Work): Promise<unknown> {
  return await asker.askNotes(notes, task, schema, async (lines) => {
    const answer = await asker.ask(lines, NOTES_TASK, proseSchema('points', 240, 1, 3))
    return cleanTexts(readTexts(answer, 'points'), 240, grounding)
  })
}

async function summarise (work: Work): Promise<ArtifactDraft> {
  const task = 'Summarise this for somebody who has not heard the recording, in 3 to 5 sentences. ' +
    'Say what it is about and what it concludes.'
  const example = '{"sentences": ["…", "…", "…"]}'
  const schema = proseSchema('sentences', 260, ARTIFACT_LENGTHS.summary.min, ARTIFACT_LENGTHS.summary.max)
  const answers = await work.asker.askParts({ task, example, schema: () => schema }, 1)
  const whole = answers.length === 1
    ? answers[0]?.answer
    : await askAbout(notesFrom(answers, work), `${task} Answer like ${example}.`, schema, work)
  return { mode: 'summary', text: joinProse(readTexts(whole, 'sentences'), 260, work.grounding) }
}

const notesFrom = (answers: readonly PartAnswer[], { grounding }: Work): string[] =>
  cleanTexts(answers.flatMap(({ answer }) => readTexts(answer, 'sentences')), 260, grounding)

async function findChapters (work: Work): Promise<ArtifactDraft> {
  const { asker, source } = work
  const { max } = ARTIFACT_LENGTHS.chapters
  const needed = leastLength('chapters', source)
  const count = partsFor(source, Math.max(4, needed, Math.min(max, Math.ceil(source.durationMs / CHAPTER_MS))), 5)
  const answers = await asker.askParts({
    task: 'Divide the recording into chapters. Answer with the number of the sentence with which a new topic starts, or 0 if the ' +
      'topic before only continues, and a title of 2 to 7 words.',
    example: '{"start": 1, "title": "…"}',
    schema: ({ first, last }, span) => object({
      start: span.first === 0 ? numberFrom(first, first) : numberFrom(first, last, [0]),
      title: string(3, TITLE_CHARACTERS)
    })
  }, count)
  const parts = answers.map((part) => ({ ...part, sentence: readSentence(part, 'start') }))
  const least = Math.min(needed, parts.length)
  // A model that finds too few topics: the parts that it skipped, the ones farthest from other chapters first.
  while (parts.filter(({ sentence }) => sentence !== undefined).length < least) {
    const starts = parts.flatMap(({ sentence }) => sentence ?? [])
    const distance = ({ span }: PartAnswer): number => Math.min(...starts.map((start) => Math.abs(start - span.first)))
    const skipped = parts.filter(({ sentence }) => sentence === undefined).sort((a, b) => distance(b) - distance(a))[0]
    if (!skipped) break
    skipped.sentence = skipped.span.first
  }
  const found = parts.flatMap(({ sentence, answer }): TopicDraft[] => sentence === undefined
    ? []
    : [{ sentence, title: titleOf(readText(answer, 'title'), sentence, work) }])
  const [first, ...others] = found
  const chosen = await chooseAmong(others, max - 1, ({ title }) => title, work)
  return { mode: 'chapters', chapters: first ? [first, ...chosen] : [] }
}

async function findQuotes (work: Work): Promise<ArtifactDraft> {
  const { asker, source } = work
  const isQuotable = (index: number): boolean => {
    const words = countWords(source.sentences[index]?.text ?? '')
    return words >= QUOTE_WORDS.min && words <= QUOTE_WORDS.max
  }
  const answers = await asker.askParts({
    task: 'Answer with the number of the sentence that is most worth quoting by itself.',
    example: '{"quote": 3}',
    schema: ({ first }, span) => {
      const indexes = Array.from({ length: span.last - span.first + 1 }, (_, index) => span.first + index)
      const quotable = indexes.filter(isQuotable)
      return object({ quote: { enum: (quotable.length > 0 ? quotable : indexes).map((index) => index - span.first + first) } })
    }
  }, partsFor(source, 8, 3))
  const found = answers.flatMap((part) => readSentence(part, 'quote') ?? [])
  const chosen = await chooseAmong([...new Set(found)], ARTIFACT_LENGTHS.quotes.max, (index) => source.sentences[index]?.text ?? '', work)
  return { mode: 'quotes', quotes: chosen.map((index): SentenceSpan => ({ first: index, last: index })) }
}

async function writeShowNotes (work: Work): Promise<ArtifactDraft> {
  const { asker, source, grounding } = work
  const answers = await asker.askParts({
    task: 'Write show notes: the number of the sentence with which the main topic starts, a title of 2 to 7 words, and one or two ' +
      'sentences about what is said.',
    example: '{"start": 1, "title": "…", "about": "…"}',
    schema: ({ first, last }) => object({ start: numberFrom(first, last), title: string(3, TITLE_CHARACTERS), about: string(120, 230) })
  }, partsFor(source, TOPICS, 5))
  const found = answers.map((part) => {
    const sentence = readSentence(part, 'start') ?? part.span.first
    const detail = cleanProse(readText(part.answer, 'about'), 230, grounding)
    return { sentence, title: titleOf(readText(part.answer, 'title'), sentence, work), ...(detail === '' ? {} : { detail }) }
  })
  const topics = await chooseAmong(found, TOPICS, ({ title }) => title, work)
  const intro = await askAbout(found.map(({ title, detail = '' }) => `${title}: ${detail}`),
    'These are notes about the whole recording. Introduce it to listeners in 2 or 3 sentences. Answer like {"intro": ["…", "…"]}.',
    proseSchema('intro', 220, 2, 3), work)
  return { mode: 'show-notes', intro: joinProse(readTexts(intro, 'intro'), 220, grounding), topics }
}

async function writeThread (work: Work): Promise<ArtifactDraft> {
  const { asker, source, grounding } = work
  const answers = await asker.askParts({
    task: 'Write a post of a thread for social media: one or two sentences with the most interesting point.',
    example: '{"post": "…"}',
    schema: () => object({ post: string(60, 240) })
  }, partsFor(source, POSTS, 3))
  const found = answers.map(({ answer }) => cleanProse(readText(answer, 'post'), 250, grounding)).filter((post) => post !== '')
  const posts = await chooseAmong(found, ARTIFACT_LENGTHS.thread.max - 1, (post) => post, work)
  const hook = await askAbout(posts,
    'These are the posts of a thread about the recording. Write the first post, which makes people want to read on. ' +
      'Answer like {"hook": "…"}.', object({ hook: string(40, 240) }), work)
  const first = cleanProse(readText(hook, 'hook'), 250, grounding)
  return { mode: 'thread', posts: first === '' ? posts : [first, ...posts] }
}

async function writeBlog (work: Work): Promise<ArtifactDraft> {
  const { asker, source, grounding } = work
  const answers = await asker.askParts({
    task: 'Write a section of a blog post: a heading of 2 to 7 words and two or three paragraphs that tell readers who have not ' +
      'heard the recording what is said.',
    example: '{"heading": "…", "paragraphs": ["…", "…"]}',
    schema: () => object({ heading: string(3, TITLE_CHARACTERS), paragraphs: list(string(280, 430), 2, 3) })
  }, partsFor(source, SECTIONS, 8))
  const found = answers.map(({ answer, span }) => ({
    heading: titleOf(readText(answer, 'heading'), span.first, work),
    text: cleanTexts(readTexts(answer, 'paragraphs'), 440, grounding).join('\n\n')
  })).filter(({ text }) => text !== '')
  const sections = await chooseAmong(found, SECTIONS, ({ heading }) => heading, work)
  const around = await askAbout(found.map(({ heading, text }) => `${heading}: ${shorten(text, 240)}`),
    'These are the sections of a blog post about the recording. Write its title, an introduction of 2 or 3 sentences, and one ' +
      'sentence that invites readers to act. Answer like {"title": "…", "intro": ["…", "…"], "action": "…"}.',
    object({ title: string(5, TITLE_CHARACTERS), intro: list(string(40, 220), 2, 3), action: string(30, 200) }), work)
  const callToAction = cleanProse(readText(around, 'action'), 200, grounding)
  return {
    mode: 'blog',
    title: cleanTitle(readText(around, 'title'), TITLE_CHARACTERS, grounding) || source.title,
    intro: joinProse(readTexts(around, 'intro'), 220, grounding),
    sections,
    ...(callToAction === '' ? {} : { callToAction })
  }
}

const MODES: Readonly<Record<ArtifactMode, (work: Work) => Promise<ArtifactDraft>>> = {
  summary: summarise, chapters: findChapters, quotes: findQuotes, 'show-notes': writeShowNotes, thread: writeThread, blog: writeBlog
}

/** Makes the draft of a mode. Rejects with ArtifactError. */
export async function makeDraft (mode: ArtifactMode, work: Work): Promise<ArtifactDraft> {
  if (work.source.sentences.length === 0) throw new ArtifactError('unusable', 'the transcript has no sentences')
  return await MODES[mode](work)
}
