/**
 * Divides a stretch of a recording into windows at the lowest cost: every window costs an encoder run, a cut costs more the shorter its
 * pause is, and skipped sound costs by how likely it is speech. So sound is skipped only where that saves a run. In one side of a call,
 * long silence is skipped everywhere. Pure.
 */
import { MAX_WINDOW_SAMPLES, SAMPLE_RATE_HZ } from './audio.js'
import { FRAME_MS, FRAME_SAMPLES, OFFSET_PROBABILITY } from './speech-spans.js'
import type { JudgedFrame } from './speech-spans.js'

/** Frames `start` up to, not including, `end`. */
export type FrameSpan = { start: number, end: number }
/** One step of a plan: a window with the gaps inside it, or a span outside all windows. */
export type Step = FrameSpan & { isWindow: boolean, gaps: FrameSpan[] }
/**
 * What becomes of long silence inside windows. `keep`: it stays unless a window has no room for it. `close`: it is left out, for one side
 * of a call, which is silent while the other person talks: decoders put words into long silence, and lose words around it.
 */
export type Pauses = 'keep' | 'close'

const MAX_FRAMES = Math.floor(MAX_WINDOW_SAMPLES / FRAME_SAMPLES)
const SECOND_FRAMES = Math.round(SAMPLE_RATE_HZ / FRAME_SAMPLES)
/** One second less than the maximum: room for the time stamp that closes the last segment. Without it, the rest is decoded twice. */
const COMFORTABLE_FRAMES = MAX_FRAMES - SECOND_FRAMES

/** Costs in encoder runs. */
const COST = {
  /** Of using the last second of a window. */
  tight: 0.1,
  /** Of a splice inside a window: it must save this much more to be worth it. */
  gap: 0.03,
  /** Of a cut in speech; in a pause of `CUT_PAUSE_MS` it is 1/e of that. Sentences end in pauses of half a second or more. */
  cut: 0.6,
  /** Extra cost of a cut at the loudest frame; none at the quietest. */
  loudCut: 0.2,
  /** Of a window without likely speech: decoders invent text where nothing is said. */
  noSpeech: 10
}
const CUT_PAUSE_MS = 400
/** The range between loud and quiet speech. */
const SPEECH_RANGE_DB = 40

/** Closed silence is at least this long, besides the quiet that is retained on both sides of it. */
const CLOSED_FRAMES = Math.round(SECOND_FRAMES)

/** `isClosed`: it must not be inside a window. */
type Removable = FrameSpan & { cost: number, isClosed: boolean }
type Removal = { gaps: FrameSpan[], cost: number }
type Edge = { cost: number, step: Step }

/** Maximal spans of the frames for which `test` holds. */
function spansOf (frames: readonly JudgedFrame[], test: (frame: JudgedFrame) => boolean): FrameSpan[] {
  const spans: FrameSpan[] = []
  for (const [index, frame] of frames.entries()) {
    if (!test(frame)) continue
    const last = spans.at(-1)
    if (last?.end === index) last.end++
    else spans.push({ start: index, end: index + 1 })
  }
  return spans
}

/** The cost of a cut before each frame: by the pause around it or, without a pause, by its level. */
function costsOfCuts (frames: readonly JudgedFrame[]): number[] {
  const quietest = Math.min(...frames.map(({ levelDb }) => levelDb))
  const costs = frames.map(({ levelDb }) => COST.cut + COST.loudCut * Math.min(1, (levelDb - quietest) / SPEECH_RANGE_DB))
  for (const { start, end } of spansOf(frames, ({ probability, isLikely }) => !isLikely || probability < OFFSET_PROBABILITY)) {
    for (let cut = start; cut < end; cut++) {
      const pauseMs = 2 * Math.min(cut - start, end - cut) * FRAME_MS
      costs[cut] = Math.min(costs[cut] ?? Infinity, COST.cut * Math.exp(-pauseMs / CUT_PAUSE_MS))
    }
  }
  return costs
}

/** The frames where windows may begin and end: the cheapest cut in each half second, and the ends of spans that may be skipped. */
function findNodes (frames: readonly JudgedFrame[], cuts: readonly number[], removables: readonly Removable[]): number[] {
  const nodes = new Set([0, frames.length])
  const cellFrames = Math.round(SECOND_FRAMES / 2)
  for (let cell = 0; cell < frames.length; cell += cellFrames) {
    let best = cell
    for (let cut = cell; cut < Math.min(cell + cellFrames, frames.length); cut++) if ((cuts[cut] ?? 0) < (cuts[best] ?? 0)) best = cut
    nodes.add(best)
  }
  for (const { start, end } of removables) {
    for (const node of nodes) if (node > start && node < end) nodes.delete(node)
    nodes.add(start).add(end)
  }
  return [...nodes].sort((a, b) => a - b)
}

/** Chooses gaps that remove `excess` frames, the cheapest first. Undefined when all of them together are too short. */
function chooseGaps (removables: readonly Removable[], excess: number): Removal | undefined {
  const gaps: FrameSpan[] = []
  let [left, cost] = [excess, 0]
  const rate = ({ start, end, cost }: Removable): number => cost / (end - start)
  for (const one of removables.toSorted((a, b) => rate(a) - rate(b) || (b.end - b.start) - (a.end - a.start) || a.start - b.start)) {
    if (left <= 0) break
    const length = Math.min(left, one.end - one.start)
    // Cut out the middle, to keep as much quiet as possible around speech.
    const start = one.start + Math.floor((one.end - one.start - length) / 2)
    gaps.push({ start, end: start + length })
    cost += COST.gap + rate(one) * length
    left -= length
  }
  return left > 0 ? undefined : { gaps: gaps.sort((a, b) => a.start - b.start), cost }
}

/** The gaps of a window: all of the closed pauses, and what else must go so that it fits. Undefined: it cannot begin, end or fit so. */
function findGaps (inside: readonly Removable[], { start, end }: FrameSpan, isWhole: boolean): Removal | undefined {
  const closed = inside.filter(({ isClosed }) => isClosed)
  if (closed.some((one) => one.start === start || one.end === end)) return undefined
  const length = closed.reduce((sum, one) => sum - (one.end - one.start), end - start)
  const isFit = isWhole || length <= MAX_FRAMES
  const more = isFit ? { gaps: [], cost: 0 } : chooseGaps(inside.filter(({ isClosed }) => !isClosed), length - COMFORTABLE_FRAMES)
  if (!more) return undefined
  const gaps = [...closed.map((one) => ({ start: one.start, end: one.end })), ...more.gaps].sort((a, b) => a.start - b.start)
  return { gaps, cost: closed.reduce((sum, { cost }) => sum + COST.gap + cost, more.cost) }
}

/**
 * The cheapest plan for these frames. `ending`: whether the recording ends here or only this piece of it; at the end of a piece, the last
 * window is not finished and costs only its share of a run. `pauses`: whether windows may have long silence in them.
 */
export function planWindows (frames: readonly JudgedFrame[], ending: 'recording' | 'piece', pauses: Pauses): Step[] {
  const isEnd = ending === 'recording'
  const removables = spansOf(frames, ({ reason }) => reason !== undefined).map(({ start, end }): Removable => {
    const own = frames.slice(start, end)
    const isClosed = pauses === 'close' && end - start >= CLOSED_FRAMES && own.every(({ reason }) => reason === 'silence')
    return { start, end, cost: own.reduce((sum, { cost }) => sum + cost, 0), isClosed }
  })
  const cuts = costsOfCuts(frames)
  for (const { start, end } of removables) [cuts[start], cuts[end]] = [0, 0]
  cuts[frames.length] = 0
  const nodes = findNodes(frames, cuts, removables)
  const likelyBefore = [0]
  for (const { isLikely } of frames) likelyBefore.push((likelyBefore.at(-1) ?? 0) + (isLikely ? 1 : 0))

  function windowEdge (start: number, end: number): Edge | undefined {
    const inside = removables.filter((one) => one.start >= start && one.end <= end)
    // A recording of 30 s is often a few samples longer: up to one frame of excess is dropped.
    const isWhole = start === 0 && end === frames.length && isEnd && end === MAX_FRAMES + 1
    const removal = findGaps(inside, { start, end }, isWhole)
    if (!removal) return undefined
    const decoded = removal.gaps.reduce((sum, gap) => sum - (gap.end - gap.start), end - start)
    const isOpen = end === frames.length && !isEnd
    const isTight = decoded > COMFORTABLE_FRAMES && end < frames.length
    const isSilent = (likelyBefore[end] ?? 0) === (likelyBefore[start] ?? 0)
    const run = isOpen ? decoded / COMFORTABLE_FRAMES : 1
    const cost = run * (isSilent ? 1 + COST.noSpeech : 1) + removal.cost + (isTight ? COST.tight : 0) + (cuts[end] ?? 0)
    return { cost, step: { start, end, isWindow: true, gaps: removal.gaps } }
  }

  return cheapestPath(nodes, (start, end) => {
    const removable = removables.find((one) => one.start === start && one.end === end)
    if (removable) return [{ cost: removable.cost, step: { start, end, isWindow: false, gaps: [] } }, windowEdge(start, end)]
    return [windowEdge(start, end)]
  })
}

/** The steps from the first node to the last with the smallest total cost. */
function cheapestPath (nodes: readonly number[], edgesOf: (start: number, end: number) => Array<Edge | undefined>): Step[] {
  const best: Array<{ cost: number, step: Step, from: number } | undefined> = []
  for (let to = 1; to < nodes.length; to++) {
    for (let from = to - 1; from >= 0; from--) {
      const before = from === 0 ? 0 : best[from]?.cost
      const edges = edgesOf(nodes[from] ?? 0, nodes[to] ?? 0)
      for (const edge of edges) {
        if (!edge || before === undefined) continue
        const cost = before + edge.cost
        if (cost < (best[to]?.cost ?? Infinity)) best[to] = { cost, step: edge.step, from }
      }
    }
  }
  const steps: Step[] = []
  for (let at = nodes.length - 1; at > 0;) {
    const last = best[at]
    if (!last) throw new Error('no plan covers the frames of this recording')
    steps.unshift(last.step)
    at = last.from
  }
  return steps
}
