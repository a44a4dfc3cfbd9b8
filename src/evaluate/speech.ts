/** When somebody speaks, and how much of that never reached the decoder. Times in ms. */

export type Span = { startMs: number, endMs: number }

/** `removedMs` is absent where the program does not say what it left out. */
export type SpeechKept = {
  speechMs: number
  removedMs?: number
  /** The longest piece of speech that was left out; absent when there is none. */
  longest?: Span
}

/** Sorts spans, merges those that touch or overlap, and drops empty ones. */
export function uniteSpans (spans: readonly Span[]): Span[] {
  const united: Span[] = []
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = united.at(-1)
    if (last && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs)
    else if (endMs > startMs) united.push({ startMs, endMs })
  }
  return united
}

/** The intersection of two lists of spans. */
export function intersectSpans (some: readonly Span[], others: readonly Span[]): Span[] {
  return uniteSpans(some).flatMap((one) => uniteSpans(others).flatMap((other) => {
    const [startMs, endMs] = [Math.max(one.startMs, other.startMs), Math.min(one.endMs, other.endMs)]
    return endMs > startMs ? [{ startMs, endMs }] : []
  }))
}

/** Speech beyond the end of the recording does not count. */
export function measureKept (speech: readonly Span[], skipped: readonly Span[] | undefined, durationMs: number): SpeechKept {
  const within = intersectSpans(speech, [{ startMs: 0, endMs: durationMs }])
  if (!skipped) return { speechMs: lengthOf(within) }
  const removed = intersectSpans(within, skipped)
  const longest = removed.toSorted((a, b) => lengthOf([b]) - lengthOf([a]))[0]
  return { speechMs: lengthOf(within), removedMs: lengthOf(removed), ...(longest && { longest }) }
}

/** The sum of several recordings. `removedMs` is known only if it is known for each of them. */
export function sumKept (all: readonly SpeechKept[]): SpeechKept {
  const isKnown = all.every(({ removedMs }) => removedMs !== undefined)
  const speechMs = all.reduce((sum, one) => sum + one.speechMs, 0)
  return { speechMs, ...(isKnown && { removedMs: all.reduce((sum, { removedMs = 0 }) => sum + removedMs, 0) }) }
}

function lengthOf (spans: readonly Span[]): number {
  return spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
}
