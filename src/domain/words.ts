/** Tokens of the decoder → words with times. Pure. */
import type { TimedSegment, TimedWord } from './transcript.js'

/** A decoder token: bytes as latin1 characters, times in ms from the start of its window. */
export type DecodedToken = { bytes: string, startMs: number, endMs: number, probability: number }
export type DecodedSegment = { startMs: number, endMs: number, tokens: readonly DecodedToken[] }

/** Scripts written without spaces between words: there, each character group of the decoder is its own word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const ONLY_PUNCTUATION = /^\s*[\p{P}\p{S}]+$/u

type Piece = { text: string, startMs: number, endMs: number, probabilities: number[] }

type OpenPiece = { bytes: string, startMs: number, endMs: number, probabilities: number[] }

/** Whether bytes are whole UTF-8 characters, the beginning of some, or can never become any. */
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
    probabilities: [...open?.probabilities ?? [], token.probability]
  }
}

/** Bytes that never became a character read as U+FFFD. */
function close ({ bytes, startMs, endMs, probabilities }: OpenPiece): Piece {
  return { text: Buffer.from(bytes, 'latin1').toString('utf8'), startMs, endMs, probabilities }
}

/** Joins tokens until their bytes are whole characters: the decoder may end a token inside one. */
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

/** True when the piece starts a new word rather than continuing the last one. Punctuation belongs to the word before it. */
function startsWord (piece: Piece, previous: Piece | undefined): boolean {
  if (!previous) return true
  if (ONLY_PUNCTUATION.test(piece.text)) return piece.text.startsWith(' ') && !/^\s*[.,!?;:…。、！？]/u.test(piece.text)
  return piece.text.startsWith(' ') || UNSPACED.test(piece.text) || UNSPACED.test(previous.text)
}

function toWords (pieces: readonly Piece[]): Piece[] {
  const words: Piece[] = []
  for (const piece of pieces) {
    const last = words.at(-1)
    if (last?.text.trim() === '') {
      // A space that came as a token of its own belongs to the word after it.
      words.splice(-1, 1, { ...piece, text: last.text + piece.text, probabilities: [...piece.probabilities] })
      continue
    }
    if (!last || startsWord(piece, last)) {
      words.push({ ...piece, probabilities: [...piece.probabilities] })
      continue
    }
    last.text += piece.text
    last.endMs = Math.max(last.endMs, piece.endMs)
    last.probabilities.push(...piece.probabilities)
  }
  return words.filter((word) => word.text.trim() !== '')
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high)
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * Segments with words, in ms from the start of the recording. Words lie inside their segment and inside the window,
 * times never go backwards, a word's probability is the mean of its tokens', and a segment's text is its words joined.
 * Segments without a word are left out.
 */
export function buildSegments (decoded: readonly DecodedSegment[], window: { startMs: number, endMs: number }): TimedSegment[] {
  const segments: TimedSegment[] = []
  let floorMs = window.startMs
  for (const segment of decoded) {
    const words = toWords(toPieces(segment.tokens))
    if (words.length === 0) continue
    const startMs = clamp(window.startMs + segment.startMs, floorMs, window.endMs)
    const endMs = clamp(window.startMs + segment.endMs, startMs, window.endMs)
    const timed: TimedWord[] = []
    let cursorMs = startMs
    for (const word of words) {
      const wordStartMs = clamp(window.startMs + word.startMs, cursorMs, endMs)
      const wordEndMs = clamp(window.startMs + word.endMs, wordStartMs, endMs)
      timed.push({ text: word.text, startMs: wordStartMs, endMs: wordEndMs, probability: round4(mean(word.probabilities)) })
      cursorMs = wordEndMs
    }
    segments.push({ startMs, endMs, text: timed.map((word) => word.text).join(''), words: timed })
    floorMs = endMs
  }
  return segments
}

function round4 (value: number): number {
  return clamp(Math.round(value * 10_000) / 10_000, 0, 1)
}
