/** Turns segments into cues: readable subtitles. Pure. */
import type { Transcript } from '../domain/transcript.js'
import { classifyBreaks, LINE_WIDTH, SPACE_WIDTH, toAtoms } from './atoms.js'
import type { Atom, Break } from './atoms.js'

/** One subtitle block of one or two lines. */
export type Cue = { startMs: number, endMs: number, lines: string[] }

const MIN_CUE_MS = 834
const MAX_CUE_MS = 7000
const MAX_LINES = 2
/** 20 characters per second. */
const MS_PER_CHARACTER = 50

/** A pause of this length separates stretches, which are cut independently. No cue spans it. */
const STRETCH_PAUSE_MS = 2000
/** Without pauses, a stretch has this many atoms. Its last cues are cut again together with what follows. */
const STRETCH_ATOMS = 400
const CUT_AGAIN = 3

/** How far a cue may begin before its first word, in silence, if it would otherwise be too short. */
const MAX_LEAD_MS = 500
/** A shorter gap between two cues is closed, because it would flicker. */
const MIN_GAP_MS = 250
const PAUSE_MS = 300

// Costs have no unit: they are only compared.
const CUE = 30
const CUE_END: Readonly<Record<Break, number>> = { speaker: 0, sentence: 0, clause: 12, word: 45, inside: 300 }
const LINE_END: Readonly<Record<Break, number>> = { speaker: 0, sentence: 0, clause: 2, word: 10, inside: 200 }
const INNER_SENTENCE = 36
const INNER_SPEAKER = 400
const INNER_SPEAKER_ON_ONE_LINE = 200
/** Per second of a pause inside a cue. */
const INNER_PAUSE = 40
const UNBALANCED = 8
const TOO_SHORT = { once: 100, perMs: 1.2 }
const TOO_FAST = { once: 100, perMs: 0.5 }

/** The text of one cue before its display times are known. */
type Draft = { lines: string[], length: number, startMs: number, spokenEndMs: number }

/** A stretch of atoms with prefix sums, so that any part of it can be measured in constant time. */
type Stretch = {
  atoms: readonly Atom[]
  breaks: readonly Break[]
  widths: number[]
  lengths: number[]
  inner: number[]
  speakers: number[]
  /** The start of the first atom after the stretch. */
  nextMs: number
}

const pauseBefore = (atoms: readonly Atom[], index: number): number => (atoms[index]?.startMs ?? 0) - (atoms[index - 1]?.endMs ?? 0)

function sumUp (values: readonly number[]): number[] {
  const sums = [0]
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value)
  return sums
}

function measureStretch (atoms: readonly Atom[], nextMs: number): Stretch {
  const breaks = classifyBreaks(atoms)
  const innerCost = (_: Atom, index: number): number => {
    const pauseMs = pauseBefore(atoms, index)
    return (breaks[index] === 'sentence' ? INNER_SENTENCE : 0) + (pauseMs >= PAUSE_MS ? INNER_PAUSE * pauseMs / 1000 : 0)
  }
  return {
    atoms,
    breaks,
    nextMs,
    widths: sumUp(atoms.map(({ width, spaceBefore }) => width + (spaceBefore ? SPACE_WIDTH : 0))),
    lengths: sumUp(atoms.map(({ length, spaceBefore }) => length + (spaceBefore ? 1 : 0))),
    inner: sumUp(atoms.map(innerCost)),
    speakers: sumUp(breaks.map((kind) => kind === 'speaker' ? 1 : 0))
  }
}

const at = (sums: readonly number[], index: number): number => sums[index] ?? 0
const startOf = ({ atoms, nextMs }: Stretch, index: number): number => atoms[index]?.startMs ?? nextMs
const widthOf = ({ atoms, widths }: Stretch, from: number, to: number): number =>
  at(widths, to) - at(widths, from) - (atoms[from]?.spaceBefore ? SPACE_WIDTH : 0)
/** The characters of a cue; a line break counts as one. */
const lengthOf = ({ atoms, lengths }: Stretch, from: number, to: number): number =>
  at(lengths, to) - at(lengths, from) + (atoms[from]?.spaceBefore ? 0 : 1)

type LineBreak = { cost: number, at?: number }

/** The best line break of a cue, if it needs or gains from one. Undefined when two lines are not enough. */
function breakLines (stretch: Stretch, from: number, to: number): LineBreak | undefined {
  const { breaks, speakers } = stretch
  const changes = at(speakers, to) - at(speakers, from + 1)
  const width = widthOf(stretch, from, to)
  let best: LineBreak | undefined = width <= LINE_WIDTH ? { cost: changes * INNER_SPEAKER_ON_ONE_LINE } : undefined
  if (best?.cost === 0 || width > MAX_LINES * LINE_WIDTH + SPACE_WIDTH) return best
  for (let index = from + 1; index < to; index++) {
    const [first, second] = [widthOf(stretch, from, index), widthOf(stretch, index, to)]
    if (first > LINE_WIDTH) break
    if (second > LINE_WIDTH) continue
    const kind = breaks[index] ?? 'inside'
    const unbalanced = UNBALANCED * Math.abs(first - second) / LINE_WIDTH
    const cost = LINE_END[kind] + unbalanced + INNER_SPEAKER_ON_ONE_LINE * (changes - (kind === 'speaker' ? 1 : 0))
    if (!best || cost < best.cost) best = { cost, at: index }
  }
  return best
}

/** The cost of showing a cue from its first word until, at the latest, the next cue. */
function costOfTime (stretch: Stretch, from: number, to: number): number {
  const roomMs = Math.min(MAX_CUE_MS, startOf(stretch, to) - startOf(stretch, from))
  const costOf = (missingMs: number, { once, perMs }: typeof TOO_SHORT): number => missingMs > 0 ? once + perMs * missingMs : 0
  return costOf(MIN_CUE_MS - roomMs, TOO_SHORT) + costOf(lengthOf(stretch, from, to) * MS_PER_CHARACTER - roomMs, TOO_FAST)
}

/**
 * The cost of a cue and its line break. Undefined when the atoms do not fit into one cue, unless it is a single atom, and when the cost is
 * not below `limit`: that is often known before lines are broken, which takes most of the time.
 */
function rateCue (stretch: Stretch, from: number, to: number, limit: number): LineBreak | undefined {
  const { atoms, breaks, inner, speakers } = stretch
  if (to - from > 1 && (atoms[to - 1]?.endMs ?? 0) - startOf(stretch, from) > MAX_CUE_MS) return undefined
  const pauseMs = startOf(stretch, to) - (atoms[to - 1]?.endMs ?? 0)
  const end = to === atoms.length ? 0 : CUE_END[breaks[to] ?? 'inside'] * (pauseMs >= PAUSE_MS ? 0.5 : 1)
  const insides = at(inner, to) - at(inner, from + 1) + INNER_SPEAKER * (at(speakers, to) - at(speakers, from + 1))
  const cost = CUE + end + insides + costOfTime(stretch, from, to)
  const lines = cost < limit ? breakLines(stretch, from, to) : undefined
  return lines && cost + lines.cost < limit ? { ...lines, cost: cost + lines.cost } : undefined
}

/** Cuts a stretch at the lowest cost. Returns the indexes where lines begin, one list per cue. */
function cutStretch (stretch: Stretch): number[][] {
  type Way = { cost: number, from: number, lines: number[] }
  const ways: Way[] = [{ cost: 0, from: 0, lines: [] }]
  for (let to = 1; to <= stretch.atoms.length; to++) {
    let best: Way | undefined
    for (let from = to - 1; from >= 0 && widthOf(stretch, from, to) <= MAX_LINES * LINE_WIDTH + SPACE_WIDTH; from--) {
      const before = ways[from]?.cost ?? Infinity
      const cue = rateCue(stretch, from, to, (best?.cost ?? Infinity) - before)
      if (cue) best = { cost: before + cue.cost, from, lines: cue.at === undefined ? [from] : [from, cue.at] }
    }
    if (best) ways[to] = best
  }
  const cues: number[][] = []
  for (let way = ways[stretch.atoms.length]; way && way.lines.length > 0; way = ways[way.from]) cues.push(way.lines)
  return cues.reverse()
}

const joinAtoms = (atoms: readonly Atom[]): string =>
  atoms
    .map(({ text, spaceBefore }, index) => (spaceBefore && index > 0 ? ' ' + text : text))
    .join('')
    .trim()

function toDraft (stretch: Stretch, lineStarts: readonly number[], end: number): Draft {
  const from = lineStarts[0] ?? 0
  const lines = lineStarts.map((start, index) => joinAtoms(stretch.atoms.slice(start, lineStarts[index + 1] ?? end)))
  const spokenEndMs = Math.max(...stretch.atoms.slice(from, end).map(({ endMs }) => endMs))
  return { lines, length: [...lines.join('\n')].length, startMs: startOf(stretch, from), spokenEndMs }
}

/** Cuts one stretch after another, so only one stretch is in memory, however long the transcript is. */
function * draftCues (atoms: Iterable<Atom>, endMs: number): Generator<Draft> {
  let open: Atom[] = []
  function * cut (nextMs: number, keep: number): Generator<Draft> {
    const stretch = measureStretch(open, nextMs)
    const cues = cutStretch(stretch)
    const done = keep === 0 ? cues.length : Math.max(1, cues.length - keep)
    for (const [index, lines] of cues.slice(0, done).entries()) yield toDraft(stretch, lines, cues[index + 1]?.[0] ?? open.length)
    open = open.slice(cues[done]?.[0] ?? open.length)
  }
  for (const atom of atoms) {
    const last = open.at(-1)
    if (last && atom.startMs - last.endMs >= STRETCH_PAUSE_MS) yield * cut(atom.startMs, 0)
    else if (open.length >= STRETCH_ATOMS) yield * cut(atom.startMs, CUT_AGAIN)
    open.push(atom)
  }
  yield * cut(Math.max(endMs, open.at(-1)?.endMs ?? 0), 0)
}

/** Sets the display times of a cue: after the previous cue, and until `nextMs` if that is long enough. */
function placeCue ({ lines, length, startMs: wordMs, spokenEndMs }: Draft, previousEndMs: number, nextMs: number): Cue {
  const neededMs = Math.max(MIN_CUE_MS, length * MS_PER_CHARACTER)
  let startMs = Math.max(wordMs, previousEndMs)
  let endMs = Math.min(Math.max(spokenEndMs, startMs + neededMs), startMs + MAX_CUE_MS, nextMs)
  startMs -= Math.max(0, Math.min(neededMs - (endMs - startMs), startMs - previousEndMs, MAX_LEAD_MS))
  if (nextMs - endMs < MIN_GAP_MS && nextMs - startMs <= MAX_CUE_MS) endMs = Math.max(endMs, nextMs)
  return { startMs, endMs: Math.max(endMs, startMs + MIN_CUE_MS), lines }
}

/**
 * The cues of a transcript: at most two lines of 42 characters (16 of a full-width script), 5/6 to 7 seconds, at most 20 characters per
 * second, in order, without overlap, cut where sentences and clauses end and speakers change.
 *
 * When the rules conflict, no text is lost, and the limits on lines, durations and order always hold. A cue that is too short or too fast
 * is shown longer into the silence after it, then up to half a second earlier into the silence before it. Without silence, speaker breaks
 * give way first (short replies share a cue, each on its own line), then the reading speed. Finally, where even 5/6 s do not fit, cues
 * appear later than their words, or end after the recording.
 */
export function * cutCues ({ segments, durationMs }: Pick<Transcript, 'segments' | 'durationMs'>): Generator<Cue> {
  let previousEndMs = 0
  let waiting: Draft | undefined
  for (const draft of draftCues(toAtoms(segments), durationMs)) {
    if (waiting) {
      const cue = placeCue(waiting, previousEndMs, draft.startMs)
      previousEndMs = cue.endMs
      yield cue
    }
    waiting = draft
  }
  if (waiting) yield placeCue(waiting, previousEndMs, Math.max(durationMs, waiting.spokenEndMs))
}
