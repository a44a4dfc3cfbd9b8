/** Turns words into atoms: pieces of text that subtitles never break, with times, and how good a break between them is. Pure. */
import { UNSPACED } from '../domain/scripts.js'
import type { TimedSegment, TimedWord } from '../domain/transcript.js'
import { toPrintable } from './printable.js'

/** The width of a line: 42 characters, or 16 of a full-width script, or a proportional mixture. */
export const LINE_WIDTH = 336
export const SPACE_WIDTH = LINE_WIDTH / 42
const FULL_WIDTH = LINE_WIDTH / 16

const FULL_WIDTH_CHARACTER = new RegExp(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}` +
    String.raw`\u3000-\u303f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]`,
  'u'
)
const ASCII = /^[\x20-\x7e]*$/
/** Longer text without spaces is split at its own words. */
const LONGEST_UNSPACED = 4

const SENTENCE_END = /[.!?…。！？｡؟۔।॥։።][\p{Pe}\p{Pf}"']*$/u
const CLAUSE_END = /[,;:،؛、，；：—–][\p{Pe}\p{Pf}"']*$/u
/** Characters that continue the character before them. */
const CONTINUES = /^[\p{M}\p{Emoji_Modifier}\u200c\u200d]/u
const MUST_CONTINUE = /\u200d$/u
const NO_LINE_START =
  /^[\p{Pe}\p{Pf}.,!?;:…。、，．！？；：・ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々%‰]/u
const NO_LINE_END = /[\p{Ps}\p{Pi}]$/u

/** How good a place is for a break, from best to worst. */
export type Break = 'speaker' | 'sentence' | 'clause' | 'word' | 'inside'

export type Atom = {
  text: string
  width: number
  /** In characters, for the reading speed. */
  length: number
  spaceBefore: boolean
  startMs: number
  endMs: number
  speaker: string | undefined
}

// Word boundaries in Chinese, Japanese and Thai come from dictionaries, whatever the locale.
const words = new Intl.Segmenter('en', { granularity: 'word' })
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function measureWidth (text: string): number {
  if (ASCII.test(text)) return text.length * SPACE_WIDTH
  let width = 0
  for (const character of text) width += FULL_WIDTH_CHARACTER.test(character) ? FULL_WIDTH : SPACE_WIDTH
  return width
}

const measureLength = (text: string): number => ASCII.test(text) ? text.length : [...text].length

/** Joins parts into pieces as long as a line allows. A single part never exceeds a line. */
function packParts (parts: Iterable<string>): string[] {
  const pieces: string[] = []
  for (const part of parts) {
    const last = pieces.at(-1)
    if (last !== undefined && measureWidth(last + part) <= LINE_WIDTH) pieces[pieces.length - 1] = last + part
    else pieces.push(part)
  }
  return pieces
}

/**
 * Splits text without spaces into pieces of at most one line: at its own words, else between characters, else (endless combining marks)
 * anywhere.
 */
function splitText (text: string): string[] {
  const length = measureLength(text)
  if (measureWidth(text) <= LINE_WIDTH && !(length > LONGEST_UNSPACED && UNSPACED.test(text))) return [text]
  return [...words.segment(text)].flatMap(({ segment: word }) => {
    if (measureWidth(word) <= LINE_WIDTH) return [word]
    return packParts(
      [...graphemes.segment(word)].flatMap(({ segment: character }) =>
        measureWidth(character) <= LINE_WIDTH ? [character] : packParts(character)
      )
    )
  })
}

type Piece = { text: string, spaceBefore: boolean }

/** The pieces of a word, and whether it ends with white space. White space inside a word ends a piece. */
function toPieces (word: string): { pieces: Piece[], spaceAfter: boolean } {
  const text = toPrintable(word)
  const pieces: Piece[] = []
  for (const [index, part] of text.split(' ').entries()) {
    // A part of only no-break spaces is white space too.
    if (part.trim() === '') continue
    for (const [inner, piece] of splitText(part).entries()) pieces.push({ text: piece, spaceBefore: inner === 0 && index > 0 })
  }
  return { pieces, spaceAfter: text.endsWith(' ') }
}

/** The words of a segment; a segment without words counts as one long word. */
function wordsOf (segment: TimedSegment): ReadonlyArray<Pick<TimedWord, 'text' | 'startMs' | 'endMs' | 'speaker'>> {
  return segment.words.length > 0 ? segment.words : [segment]
}

const isContinued = (last: Atom, { text, spaceBefore }: Piece): boolean =>
  !spaceBefore && (CONTINUES.test(text) || MUST_CONTINUE.test(last.text)) && last.width + measureWidth(text) <= LINE_WIDTH

/**
 * The atoms of a transcript, in order. Only white space and control characters are lost. Start times never go backwards. A word without a
 * speaker gets the previous word's speaker, or its channel, if channels were transcribed one by one.
 */
export function * toAtoms (segments: Iterable<TimedSegment>): Generator<Atom> {
  let last: Atom | undefined
  let spaceBefore = false
  let clockMs = 0
  let speaker: string | undefined
  for (const segment of segments) {
    for (const word of wordsOf(segment)) {
      const { pieces, spaceAfter } = toPieces(word.text)
      const startMs = Math.max(word.startMs, clockMs)
      const spanMs = Math.max(0, word.endMs - startMs)
      const total = pieces.reduce((sum, { text }) => sum + text.length, 0)
      speaker = word.speaker ?? (segment.channel === undefined ? speaker : `channel ${segment.channel}`)
      let doneLength = 0
      for (const [index, piece] of pieces.entries()) {
        const from = startMs + Math.floor(spanMs * doneLength / total)
        doneLength += piece.text.length
        const endMs = startMs + Math.floor(spanMs * doneLength / total)
        const spaced: Piece = { text: piece.text, spaceBefore: piece.spaceBefore || (index === 0 && spaceBefore) }
        if (last && isContinued(last, spaced)) {
          last = {
            ...last,
            text: last.text + piece.text,
            width: last.width + measureWidth(piece.text),
            length: last.length + measureLength(piece.text),
            endMs: Math.max(last.endMs, endMs)
          }
        } else {
          if (last) yield last
          last = { ...spaced, width: measureWidth(piece.text), length: measureLength(piece.text), startMs: from, endMs, speaker }
        }
        clockMs = from
      }
      spaceBefore = spaceAfter || (spaceBefore && pieces.length === 0)
    }
  }
  if (last) yield last
}

/** For each atom, whether it begins a word. An atom after a space always does. */
function findWordStarts (atoms: readonly Atom[]): boolean[] {
  const starts = atoms.map(({ spaceBefore }, index) => index === 0 || spaceBefore)
  for (let first = 0; first < atoms.length;) {
    let end = first + 1
    while (end < atoms.length && !starts[end]) end++
    if (end > first + 1) {
      const run = atoms.slice(first, end)
      const boundaries = new Set([...words.segment(run.map(({ text }) => text).join(''))].map(({ index }) => index))
      let offset = 0
      for (const [index, { text }] of run.entries()) {
        if (index > 0) {
          starts[first + index] =
            boundaries.has(offset) && !NO_LINE_START.test(text) && !CONTINUES.test(text) && !NO_LINE_END.test(run[index - 1]?.text ?? '')
        }
        offset += text.length
      }
    }
    first = end
  }
  return starts
}

/** Classifies the place before each atom as a break; the one before the first atom is a sentence break. */
export function classifyBreaks (atoms: readonly Atom[]): Break[] {
  const wordStarts = findWordStarts(atoms)
  return atoms.map((atom, index) => {
    const before = atoms[index - 1]
    if (!before) return 'sentence'
    if (before.speaker !== undefined && before.speaker !== atom.speaker) return 'speaker'
    if (!wordStarts[index]) return 'inside'
    if (SENTENCE_END.test(before.text)) return 'sentence'
    // In scripts without spaces, a space ends a clause.
    return CLAUSE_END.test(before.text) || (atom.spaceBefore && UNSPACED.test(before.text)) ? 'clause' : 'word'
  })
}

export const endsSentence = (text: string): boolean => SENTENCE_END.test(text)
