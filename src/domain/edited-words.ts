/** The words of a text that a person typed in place of another: words that stay keep their times. Pure. */
import { UNSPACED } from './scripts.js'
import { pairInOrder } from './subsequence.js'
import type { TimedSegment, TimedWord } from './transcript.js'

/** The longest text of an edited segment, in characters. Half a minute of fast speech has about 800. */
export const MAX_SEGMENT_TEXT_LENGTH = 5000
/** The most words of an edited segment (characters in scripts without spaces): several times what anybody says in half a minute. */
export const MAX_SEGMENT_WORDS = 500

/** A piece of text that is compared: a word, or a character in scripts without spaces; with the punctuation after it. */
type Unit = { text: string, key: string, isSpaced: boolean, isUnspaced: boolean }
/** A unit and the word that it is from. */
type OldUnit = Unit & { word: number }
/** A word of the new text. `place`: the old word that it is; undefined: it is new. */
type Draft = { text: string, place?: number }

const UNIT = new RegExp(`(\\s*)(${UNSPACED.source}[\\p{M}ー]*|(?:(?!${UNSPACED.source})\\S)+)`, 'gu')
/** Marks that end something belong to the word before them even after a space, as in French. */
const CLOSING = /^[.,!?;:…。、！？」』）】]+/u
const NOT_LETTERS = /[\p{P}\p{S}]+/gu
const HALF = /\p{Cs}/gu
const CONTROL = /(?!\s)\p{Cc}/gu

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** What a person typed, on one line: runs of white space become one space, and what no text can have is replaced. */
export const toSegmentText = (typed: string): string =>
  typed.replace(HALF, '\ufffd').replace(CONTROL, ' ').replace(/\s+/gu, ' ').trim()

function toUnits (text: string): Unit[] {
  const units: Unit[] = []
  for (const [, space = '', run = ''] of text.matchAll(UNIT)) {
    const before = units.at(-1)
    const marks = space === '' && before?.isUnspaced ? CLOSING.exec(run)?.[0] ?? '' : ''
    if (before) before.text += marks
    const characters = run.slice(marks.length)
    if (characters === '') continue
    const letters = characters.replace(NOT_LETTERS, '').normalize('NFKC').toLowerCase()
    const last = units.at(-1)
    const isSpaced = space !== ''
    if (letters === '' && last && (!isSpaced || CLOSING.test(characters))) {
      last.text += (isSpaced ? ' ' : '') + characters
      continue
    }
    units.push({
      text: (isSpaced ? ' ' : '') + characters, key: letters === '' ? characters : letters, isSpaced, isUnspaced: UNSPACED.test(characters)
    })
  }
  return units
}

/** How many words a text is made of; characters in scripts without spaces. */
export const countWords = (text: string): number => toUnits(text).length

/** Old words all of whose units are found side by side in the new text, by the place of their first unit. */
function findKept (old: readonly OldUnit[], units: readonly Unit[]): Map<number, { word: number, count: number }> {
  const places = new Map(pairInOrder(old.map(({ key }) => key), units.map(({ key }) => key)))
  const kept = new Map<number, { word: number, count: number }>()
  for (let index = 0; index < old.length;) {
    const { word } = old[index]!
    let count = 1
    while (old[index + count]?.word === word) count++
    const start = places.get(index)
    const isWhole = start !== undefined && Array.from({ length: count }, (_, offset) => offset)
      .every((offset) => places.get(index + offset) === start + offset && (offset === 0 || !units[start + offset]!.isSpaced))
    if (isWhole) kept.set(start, { word, count })
    index += count
  }
  return kept
}

/** New characters without spaces between them, cut into words by dictionary. */
function * cutUnspaced (units: readonly Unit[]): Generator<Draft> {
  let open = ''
  for (const { segment, isWordLike } of segmenter.segment(units.map((unit) => unit.text).join(''))) {
    if (isWordLike && open.trim() !== '') {
      yield { text: open }
      open = ''
    }
    open += segment
  }
  if (open !== '') yield { text: open }
}

function toDrafts (before: readonly TimedWord[], text: string): Draft[] {
  const old = before.flatMap((word, index) => toUnits(word.text).map((unit): OldUnit => ({ ...unit, word: index })))
  const units = toUnits(text)
  const kept = findKept(old, units)
  const isJoined = (index: number): boolean => units[index]?.isUnspaced === true && !units[index].isSpaced && !kept.has(index)
  const drafts: Draft[] = []
  for (let index = 0; index < units.length;) {
    const found = kept.get(index)
    let end = index + (found?.count ?? 1)
    if (!found && units[index]!.isUnspaced) while (isJoined(end)) end++
    const own = units.slice(index, end)
    if (found) drafts.push({ text: own.map((unit) => unit.text).join(''), place: found.word })
    else drafts.push(...cutUnspaced(own))
    index = end
  }
  return drafts
}

const lengthOf = ({ text }: Draft): number => Math.max(1, [...text.trim()].length)

/** The stretch in which new words are said, the old words there, and a word beside it. */
type Stretch = { startMs: number, endMs: number, replaced: readonly TimedWord[], beside: TimedWord | undefined }

/** As many words as before get their times; others share the time by their lengths. Their speaker is the one of that time. */
function placeDrafts (drafts: readonly Draft[], { startMs, endMs, replaced, beside }: Stretch): TimedWord[] {
  if (replaced.length === drafts.length) return drafts.map(({ text }, index) => ({ ...replaced[index]!, text, probability: 1 }))
  const total = drafts.reduce((sum, draft) => sum + lengthOf(draft), 0)
  const timeAt = (length: number): number => Math.round(startMs + (endMs - startMs) * length / total)
  let done = 0
  let said = 0
  return drafts.map((draft): TimedWord => {
    const fromMs = timeAt(done)
    done += lengthOf(draft)
    const toMs = timeAt(done)
    while ((replaced[said + 1]?.startMs ?? Infinity) <= (fromMs + toMs) / 2) said++
    return { ...replaced[said] ?? beside, text: draft.text, startMs: fromMs, endMs: toMs, probability: 1 }
  })
}

function stretchBetween ({ startMs, endMs }: Span, before: readonly TimedWord[], last: number, next: number): Stretch {
  const replaced = before.slice(last + 1, next)
  const gap = { startMs: before[last]?.endMs ?? startMs, endMs: Math.max(before[last]?.endMs ?? startMs, before[next]?.startMs ?? endMs) }
  const [first, end] = [replaced[0], replaced.at(-1)]
  const isLong = first !== undefined && end !== undefined && end.endMs > first.startMs
  return { ...isLong ? { startMs: first.startMs, endMs: end.endMs } : gap, replaced, beside: before[last] ?? before[next] }
}

function keep (word: TimedWord, typed: string): TimedWord {
  return typed.trim() === word.text.trim() ? { ...word, text: typed } : { ...word, text: typed, probability: 1 }
}

type Span = Pick<TimedSegment, 'startMs' | 'endMs'>

/**
 * The words of `text`, which a person typed for a segment with the words `before`. Words that stay keep their times and voices, also if
 * only punctuation or case changed. New words get the time of the words that they replace, or the time between their neighbours. Times
 * never go backwards and stay inside the segment. The words joined are `text`, apart from white space; `lead` comes before the first.
 */
export function editWords (span: Span, before: readonly TimedWord[], text: string, lead: '' | ' ' = ' '): TimedWord[] {
  const drafts = toDrafts(before, toSegmentText(text))
  const words: TimedWord[] = []
  let last = -1
  for (let index = 0; index < drafts.length;) {
    const { text: typed, place } = drafts[index]!
    if (place !== undefined) {
      words.push(keep(before[place]!, typed))
      last = place
      index++
      continue
    }
    const ahead = drafts.slice(index)
    const count = ahead.findIndex((draft) => draft.place !== undefined)
    const added = count < 0 ? ahead : ahead.slice(0, count)
    words.push(...placeDrafts(added, stretchBetween(span, before, last, ahead[count]?.place ?? before.length)))
    index += added.length
  }
  const [first] = words
  if (first) words[0] = { ...first, text: lead + first.text.trimStart() }
  return words
}

/** True when the text is that of the words, apart from white space. */
export const isTextOf = (text: string, words: readonly TimedWord[]): boolean =>
  toSegmentText(text) === toSegmentText(words.map((word) => word.text).join(''))

/** The space before the first word of an edited segment, as the machine had it. */
export function leadOf (machineText: string, typed: string): '' | ' ' {
  if (/^\s/u.test(machineText) || /^\s/u.test(typed)) return ' '
  // Words of other scripts are separated from the characters before them.
  return UNSPACED.test(machineText.charAt(0)) && !UNSPACED.test(typed.charAt(0)) ? ' ' : ''
}

/** Gives words the speakers of `labelled` at the same time: speakers were identified again since these words were stored. */
export function copySpeakers (words: readonly TimedWord[], labelled: readonly TimedWord[]): TimedWord[] {
  return words.map(({ text, startMs, endMs, probability }): TimedWord => {
    const said = labelled.findLast((word) => word.startMs <= (startMs + endMs) / 2) ?? labelled[0]
    return { ...said, text, startMs, endMs, probability }
  })
}
