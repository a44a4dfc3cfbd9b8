/** Makes text of a language model fit for people: plain, of the right length, about the transcript and in its language. Pure. */
import type { ArtifactSource } from '../../../domain/artifact.js'
import { UNSPACED } from '../../../domain/scripts.js'
import { listWords, shorten, splitSentences, toLine } from '../../../domain/text-words.js'

/** What of a transcript is compared with generated text. */
export type Grounding = {
  /** The beginnings of its words. */
  stems: ReadonlySet<string>
  /** Its words, joined by spaces. */
  words: string
  isUnspaced: boolean
}

/** Inflected words agree in their beginnings. */
const STEM_LENGTH = 5
/** Articles and the like: short words look alike across languages. */
const SHORTEST_WORD = 3
/** The least share of a text's words that must be in the transcript. A text in another language shares only names with it. */
const LEAST_SHARE = 0.3
/** Words in quotation marks that must be verbatim. Fewer are a title or a term. */
const QUOTED_WORDS = 3

const LINK = /(?:https?:\/\/|www\.)\S+|\S+@\S+\.\S+|\b[\w-]+\.(?:com|net|org|io|ru|info|biz)\b/iu
const QUOTED = /["“„«»]([^"“”„«»]+)["”“«»]/gu
const SENTENCE_END = /[.!?…。！？؟।።][\p{Pe}\p{Pf}"']*$/u

const stemOf = (word: string): string => word.toLowerCase().slice(0, STEM_LENGTH)
const joinWords = (text: string): string => listWords(text).join(' ').toLowerCase()

export function groundIn ({ sentences }: ArtifactSource): Grounding {
  const text = sentences.map((sentence) => sentence.text).join(' ')
  return { stems: new Set(listWords(text).map(stemOf)), words: ` ${joinWords(text)} `, isUnspaced: UNSPACED.test(text) }
}

/** True when enough words of the text are in the transcript. False for other languages and for nonsense. */
function isGrounded (text: string, { stems, isUnspaced }: Grounding): boolean {
  const words = listWords(text).filter((word) => isUnspaced || word.length >= SHORTEST_WORD)
  const known = words.filter((word) => stems.has(stemOf(word))).length
  return words.length > 0 && known / words.length >= LEAST_SHARE
}

/** Without Markdown, HTML and invisible characters, on one line. Joiners stay: some scripts need them. */
function toPlain (text: string): string {
  return toLine(text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(?![\u200c\u200d])[\p{Cf}\p{Co}\p{Cn}\p{Cs}\ufffd]/gu, '')
    .replace(/[`*<>[\]{}|\\~]/g, '')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/^[\s#>+-]+/, ''))
}

/** Removes quotation marks around words that nobody said. */
function unquote (text: string, { words }: Grounding): string {
  return text.replace(QUOTED, (quoted: string, inside: string) =>
    listWords(inside).length < QUOTED_WORDS || words.includes(` ${joinWords(inside)} `) ? quoted : inside)
}

/** Sentences of prose of at most `limit` characters. Sentences with links are dropped. Empty when it says nothing about the transcript. */
export function cleanProse (text: string, limit: number, grounding: Grounding): string {
  const whole = splitSentences(unquote(toPlain(text), grounding)).filter((sentence) => !LINK.test(sentence))
  // The grammar ends a text at its limit in the middle of a sentence.
  const kept = whole.length > 1 && !SENTENCE_END.test(whole.at(-1) ?? '') ? whole.slice(0, -1) : whole
  const prose = shorten(kept.join(' '), limit)
  if (!isGrounded(prose, grounding)) return ''
  return SENTENCE_END.test(prose) ? prose : prose + (grounding.isUnspaced ? '。' : '.')
}

/** A title of at most `limit` characters, without a full stop. Empty when it says nothing about the transcript. */
export function cleanTitle (text: string, limit: number, grounding: Grounding): string {
  const title = shorten(unquote(toPlain(text), grounding).replace(/^["“„«]+|["”“»]+$|[\s.,;:。]+$/gu, ''), limit)
  return LINK.test(title) || !isGrounded(title, grounding) ? '' : title
}
