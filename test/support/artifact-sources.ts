/** Transcripts from which artifacts are made in tests. */
import { readFileSync } from 'node:fs'
import { toTitle } from '../../dist/domain/artifact-title.js'
import { toSentences } from '../../dist/domain/sentences.js'
import { UNSPACED } from '../../dist/domain/scripts.js'
import { countWords, splitSentences } from '../../dist/domain/text-words.js'
import type { ArtifactSource } from '../../dist/domain/artifact.js'
import type { TimedSegment, TimedWord, Transcript } from '../../dist/domain/transcript.js'
import { AUDIO, TRANSCRIPTS } from './paths.ts'
import { readSearchSet } from './search-set.ts'
import type { Language } from './search-set.ts'

/** What an engine gets of a transcript. */
export const toArtifactSource = (
  { fileName, language, durationMs, segments }: Pick<Transcript, 'fileName' | 'language' | 'durationMs' | 'segments'>
): ArtifactSource => ({ language, title: toTitle(fileName), durationMs, sentences: [...toSentences(segments)] })

export type SpokenSentence = { startMs: number, endMs: number, text: string, speaker?: string }

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Words with their punctuation. */
function splitSpoken (text: string): string[] {
  if (!UNSPACED.test(text)) return text.split(/\s+/)
  return [...segmenter.segment(text)].reduce<string[]>((words, { segment, isWordLike }) =>
    isWordLike === true || words.length === 0 ? [...words, segment] : [...words.slice(0, -1), `${words.at(-1)}${segment}`], [])
}

/** Words of a sentence, spread over its time by their lengths. */
function toWords ({ startMs, endMs, text, speaker }: SpokenSentence): TimedWord[] {
  const words = splitSpoken(text)
  const [space, gap] = UNSPACED.test(text) ? ['', 0] : [' ', 1]
  let done = 0
  return words.map((word) => {
    const from = startMs + Math.floor((endMs - startMs) * done / text.length)
    done += word.length + gap
    const until = Math.min(endMs, startMs + Math.floor((endMs - startMs) * done / text.length))
    return { text: `${space}${word}`, startMs: from, endMs: until, probability: 0.9, ...(speaker === undefined ? {} : { speaker }) }
  })
}

/** One segment for each sentence. */
export function toSegments (sentences: readonly SpokenSentence[]): TimedSegment[] {
  return sentences.map((sentence) => {
    const { startMs, endMs, text, speaker } = sentence
    return { startMs, endMs, text: ` ${text}`, words: toWords(sentence), ...(speaker === undefined ? {} : { speaker }) }
  })
}

/** Speech of 150 words a minute. A line of the text is one turn; "Name: " at its start is the speaker; an empty line is a pause of 2 s. */
export function speak (text: string): SpokenSentence[] {
  let clockMs = 500
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') {
      clockMs += 1500
      return []
    }
    const [, speaker, said = line] = /^(?:([\p{Lu}][\p{L} ]{0,30}): )?(.*)$/u.exec(line) ?? []
    return splitSentences(said).map((sentence) => {
      const startMs = clockMs
      const endMs = startMs + 400 * splitSpoken(sentence).length
      clockMs = endMs + 500
      return { startMs, endMs, text: sentence, ...(speaker === undefined ? {} : { speaker }) }
    })
  })
}

type Spoken = { language: string | undefined, title: string, sentences: readonly SpokenSentence[] }

export function makeSource ({ language, title, sentences }: Spoken): ArtifactSource {
  const durationMs = (sentences.at(-1)?.endMs ?? 0) + 1000
  return toArtifactSource({ fileName: `${title}.mp3`, language, durationMs, segments: toSegments(sentences) })
}

type Truth = {
  language: string
  duration: number
  sentences: Array<{ start: number, end: number, text: string }>
  topics?: Array<{ topic: string, start: number, end: number }>
}

const readTruth = (name: string): Truth => JSON.parse(readFileSync(`${AUDIO}${name}.json`, 'utf8')) as Truth

/** The reference transcript of an audio fixture, such as "talk". */
export function readSpoken (name: string): ArtifactSource {
  const { language, sentences } = readTruth(name)
  const spoken = sentences.map(({ start, end, text }) => ({ startMs: Math.round(1000 * start), endMs: Math.round(1000 * end), text }))
  return makeSource({ language, title: name, sentences: spoken })
}

/** Where the topics of the four-topic talk begin, in ms. */
export const talkTopicsMs = (): number[] => (readTruth('talk').topics ?? []).map(({ start }) => Math.round(1000 * start))

/** A text of test/fixtures/transcripts, spoken. */
export function readText (name: string, language: string): ArtifactSource {
  return makeSource({ language, title: name, sentences: speak(readFileSync(`${TRANSCRIPTS}${name}.txt`, 'utf8')) })
}

/** Transcripts that break assumptions. */
export const ODD_SOURCES: Readonly<Record<string, () => ArtifactSource>> = {
  'an empty transcript': () => makeSource({ language: undefined, title: 'silence', sentences: [] }),
  'one word': () => makeSource({ language: 'en', title: 'word', sentences: speak('Hello.') }),
  'two sentences': () => makeSource({ language: 'de', title: 'zwei', sentences: speak('Guten Morgen. Heute regnet es in Berlin.') }),
  'an hour without punctuation': () => {
    const text = readSpoken('talk').sentences.map((sentence) => sentence.text).join(' ').repeat(10).replace(/[^\p{L}\s]/gu, '')
    return makeSource({ language: 'en', title: 'monologue', sentences: [{ startMs: 0, endMs: 3_600_000, text: text.toLowerCase() }] })
  },
  'the same sentence again and again': () => makeSource({
    language: 'en', title: 'loop', sentences: speak('Thank you for watching. '.repeat(300))
  }),
  'mixed languages': () => makeSource({
    language: 'en',
    title: 'mixed',
    sentences: ['en-1', 'de-1', 'es-1', 'en-2'].flatMap((name, index) =>
      readSpoken(name).sentences.map(({ text, startMs, endMs }) =>
        ({ text, startMs: startMs + index * 60_000, endMs: endMs + index * 60_000 })))
  }),
  'a script without spaces': () => makeSource({
    language: 'zh', title: '会議', sentences: speak('今天的会议从九点开始。我们先讨论预算。然后讨论新的学校。\n'.repeat(20))
  }),
  'a language nobody listed': () => makeSource({
    language: 'fi',
    title: 'puhe',
    sentences: speak('Hyvää huomenta kaikille. Tänään puhumme metsästä ja järvistä. Metsä on suuri.\n'.repeat(12))
  }),
  'Markdown and markup in the text': () => makeSource({
    language: 'en',
    title: '# <b>*x*</b>',
    sentences: speak('Use *stars* and `ticks` now. <script>alert(1)</script> is [not](safe) here.\n'.repeat(8))
  })
}

/** A recording of about so many words, read from the texts of the retrieval set, each with its own topic and speakers. */
export function readLibrary (words: number, language: Language = 'en'): ArtifactSource {
  const lines: string[] = []
  let left = words
  for (const { passages } of readSearchSet([language]).transcripts) {
    if (left <= 0) break
    lines.push('', ...passages.map(({ speaker, text }) => `${speaker}: ${text}`))
    left -= countWords(passages.map(({ text }) => text).join(' '))
  }
  return makeSource({ language, title: 'library', sentences: speak(lines.join('\n')) })
}

/** A recording of about so many hours, from the texts of the fixtures one after the other, each with its own order of paragraphs. */
export function makeLong (hours: number): ArtifactSource {
  const spoken = ['talk', 'dialogue', 'en-1', 'en-2'].map((name) => readSpoken(name))
  const texts = [...spoken, readText('council', 'en'), readText('lecture', 'en')]
  const sentences: SpokenSentence[] = []
  let clockMs = 0
  for (let round = 0; clockMs < hours * 3_600_000; round++) {
    const source = texts[round % texts.length]
    if (!source) break
    const from = (round * 17) % Math.max(1, source.sentences.length - 20)
    for (const { text, startMs, endMs } of source.sentences.slice(from, from + 60)) {
      sentences.push({ text, startMs: clockMs, endMs: clockMs + endMs - startMs })
      clockMs += endMs - startMs + 500
    }
    clockMs += 1500
  }
  return makeSource({ language: 'en', title: 'long', sentences })
}
