/** Turns decoder tokens into words with times. Pure. */
import { UNSPACED } from './scripts.js'
import type { TimedSegment, TimedWord } from './transcript.js'
import type { WindowClock } from './windows.js'

/**
 * A decoder token: bytes as latin1 characters, times in ms from the start of its window. `dtwMs`: when the decoder's attention moved to it;
 * only from models whose alignment heads are known.
 */
export type DecodedToken = { bytes: string, startMs: number, endMs: number, probability: number, dtwMs?: number }
export type DecodedSegment = { startMs: number, endMs: number, tokens: readonly DecodedToken[] }

const ONLY_PUNCTUATION = /^\s*[\p{P}\p{S}]+$/u

type Timed = { startMs: number, endMs: number, probabilities: number[], dtwMs: number | undefined }
/** `markMs`: when the punctuation that ends it begins. */
type Piece = Timed & { text: string, markMs?: number | undefined }
type OpenPiece = Timed & { bytes: string }

/** Tells whether bytes are whole UTF-8 characters, the beginning of some, or invalid. */
function utf8State (bytes: string): 'whole' | 'incomplete' | 'broken' {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    decoder.decode(Buffer.from(bytes, 'latin1'), { stream: true })
  } catch {
    return 'broken'
  }
  try {
    decoder.decode()
    return 'whole'
  } catch {
    return 'incomplete'
  }
}

function extend (open: OpenPiece | undefined, token: DecodedToken): OpenPiece {
  return {
    bytes: (open?.bytes ?? '') + token.bytes,
    startMs: open?.startMs ?? token.startMs,
    endMs: token.endMs,
    probabilities: [...open?.probabilities ?? [], token.probability],
    dtwMs: open ? open.dtwMs : token.dtwMs
  }
}

/** Bytes that are not a character become U+FFFD. */
function close ({ bytes, ...timed }: OpenPiece): Piece {
  return { text: Buffer.from(bytes, 'latin1').toString('utf8'), ...timed }
}

/** Joins tokens until their bytes are whole characters: the decoder may end a token in the middle of one. */
function toPieces (tokens: readonly DecodedToken[]): Piece[] {
  const pieces: Piece[] = []
  let open: OpenPiece | undefined
  for (const token of tokens) {
    if (open && utf8State(open.bytes + token.bytes) === 'broken') {
      pieces.push(close(open))
      open = undefined
    }
    open = extend(open, token)
    if (utf8State(open.bytes) === 'incomplete') continue
    pieces.push(close(open))
    open = undefined
  }
  return open ? [...pieces, close(open)] : pieces
}

/** True when the piece starts a new word. Punctuation belongs to the word before it. */
function startsWord (piece: Piece, previous: Piece | undefined): boolean {
  if (!previous) return true
  if (ONLY_PUNCTUATION.test(piece.text)) return piece.text.startsWith(' ') && !/^\s*[.,!?;:…。、！？]/u.test(piece.text)
  // In scripts without spaces, each character group of the decoder is a word.
  return piece.text.startsWith(' ') || UNSPACED.test(piece.text) || UNSPACED.test(previous.text)
}

function toWords (pieces: readonly Piece[]): Piece[] {
  const words: Piece[] = []
  for (const piece of pieces) {
    const last = words.at(-1)
    if (last?.text.trim() === '') {
      // A space in its own token belongs to the next word.
      words.splice(-1, 1, { ...piece, text: last.text + piece.text, probabilities: [...piece.probabilities] })
      continue
    }
    if (!last || startsWord(piece, last)) {
      words.push({ ...piece, probabilities: [...piece.probabilities] })
      continue
    }
    if (ONLY_PUNCTUATION.test(piece.text)) last.markMs ??= piece.dtwMs
    last.text += piece.text
    last.endMs = Math.max(last.endMs, piece.endMs)
    last.probabilities.push(...piece.probabilities)
  }
  return words.filter((word) => word.text.trim() !== '')
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** A word longer than this many times the median has a pause after it. */
const LONG_WORD_FACTOR = 2

/**
 * Moves words to where the decoder's attention was, when that is known for all of them. The first word keeps its start, because attention
 * lags there. A word lasts until its punctuation or the next word, but not through a pause.
 */
function alignWords (words: readonly Piece[], segmentEndMs: number): readonly Piece[] {
  const starts = words.map(({ startMs, dtwMs }, index) => index === 0 ? Math.min(startMs, dtwMs ?? startMs) : dtwMs ?? NaN)
  if (words.length === 0 || words.some(({ dtwMs }) => dtwMs === undefined)) return words
  const lengths = starts.slice(1).map((startMs, index) => startMs - (starts[index] ?? startMs)).sort((a, b) => a - b)
  const longestMs = LONG_WORD_FACTOR * (lengths[Math.floor(lengths.length / 2)] ?? Infinity)
  return words.map((word, index) => {
    const startMs = starts[index] ?? word.startMs
    const nextMs = starts[index + 1] ?? Math.max(word.endMs, segmentEndMs)
    const untilMs = Math.min(nextMs, word.markMs ?? nextMs, Math.max(word.endMs, startMs + longestMs))
    return { ...word, startMs, endMs: Math.max(startMs, untilMs) }
  })
}

/** A skipped silence of this length ends a segment: the decoder did not hear it, but a reader of the times would see it. */
const SPLIT_GAP_MS = 1000

type PlacedWord = TimedWord & { span: number }

/** Converts words to the recording's time, in order, none before `floorMs`. */
function placeWords (words: readonly Piece[], clock: WindowClock, floorMs: number): PlacedWord[] {
  let cursorMs = floorMs
  return words.map((word) => {
    const placed = clock(word.startMs, word.endMs)
    const startMs = Math.max(placed.startMs, cursorMs)
    const endMs = Math.max(placed.endMs, startMs)
    cursorMs = endMs
    return { text: word.text, startMs, endMs, probability: round4(mean(word.probabilities)), span: placed.span }
  })
}

/** Splits words where a second or more was skipped between them. */
function splitAtGaps (words: readonly PlacedWord[]): PlacedWord[][] {
  const groups: PlacedWord[][] = []
  for (const word of words) {
    const last = groups.at(-1)
    const before = last?.at(-1)
    if (last && before && (word.span === before.span || word.startMs - before.endMs < SPLIT_GAP_MS)) last.push(word)
    else groups.push([word])
  }
  return groups
}

/**
 * Builds segments with words, in ms from the start of the recording. Words lie inside their segment and outside gaps, and times never go
 * backwards. A word's probability is the mean of its tokens' probabilities; a segment's text is its words joined. Segments without words
 * are dropped.
 */
export function buildSegments (decoded: readonly DecodedSegment[], clock: WindowClock): TimedSegment[] {
  const segments: TimedSegment[] = []
  let floorMs = 0
  for (const segment of decoded) {
    // A segment's bounds come from the decoder's time tokens, which are more exact than word times, so words stay inside them.
    const inside = (ms: number): number => clamp(ms, segment.startMs, Math.max(segment.startMs, segment.endMs))
    const pieces = alignWords(toWords(toPieces(segment.tokens)), segment.endMs).map((piece) => ({
      ...piece,
      startMs: inside(piece.startMs),
      endMs: inside(piece.endMs)
    }))
    for (const words of splitAtGaps(placeWords(pieces, clock, floorMs))) {
      const [first, last] = [words[0], words.at(-1)]
      if (!first || !last) continue
      const start = clock(segment.startMs, segment.startMs)
      const end = clock(segment.endMs, segment.endMs)
      const startMs = start.span === first.span ? clamp(start.startMs, floorMs, first.startMs) : first.startMs
      const endMs = end.span === last.span ? Math.max(end.endMs, last.endMs) : last.endMs
      segments.push({ startMs, endMs, text: words.map(({ text }) => text).join(''), words: words.map(({ span: _, ...word }) => word) })
      floorMs = endMs
    }
  }
  return segments
}

function round4 (value: number): number {
  return clamp(Math.round(value * 10_000) / 10_000, 0, 1)
}
