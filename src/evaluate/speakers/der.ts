/** Diarization error rate: how much of the time of speech has the wrong speakers. */
import { assignBest } from './assignment.js'
import type { LabelledSpan } from './rttm.js'

/** All in ms, summed over speakers: where two people talk at once, one ms counts twice. */
export type SpeakerErrors = { speechMs: number, missedMs: number, falseAlarmMs: number, confusionMs: number }

/** `collarMs`: left out on both sides of each boundary of the reference. `overlap`: whether time with several speakers counts. */
export type ErrorRules = { collarMs: number, overlap: 'count' | 'leave' }

/** (missed + false alarm + confusion) / speech; 0 where nobody speaks and nobody is heard. */
export function errorRate ({ speechMs, missedMs, falseAlarmMs, confusionMs }: SpeakerErrors): number {
  const wrong = missedMs + falseAlarmMs + confusionMs
  return wrong === 0 ? 0 : wrong / speechMs
}

export function sumSpeakerErrors (all: readonly SpeakerErrors[]): SpeakerErrors {
  const sum = (field: keyof SpeakerErrors): number => all.reduce((total, one) => total + one[field], 0)
  return {
    speechMs: sum('speechMs'), missedMs: sum('missedMs'), falseAlarmMs: sum('falseAlarmMs'), confusionMs: sum('confusionMs')
  }
}

/** A stretch in which the same people talk. */
type Slice = { ms: number, said: ReadonlySet<string>, heard: ReadonlySet<string> }

/** Cuts the recording at every boundary, and leaves out the collars. */
function cut (reference: readonly LabelledSpan[], hypothesis: readonly LabelledSpan[], durationMs: number, collarMs: number): Slice[] {
  const collars = collarMs === 0
    ? []
    : reference.flatMap(({ startMs, endMs }) => [startMs, endMs])
      .map((ms) => ({ startMs: ms - collarMs, endMs: ms + collarMs }))
  const marks = [...reference, ...hypothesis, ...collars].flatMap(({ startMs, endMs }) => [startMs, endMs])
  const times = [...new Set([0, durationMs, ...marks])].filter((ms) => ms >= 0 && ms <= durationMs).sort((a, b) => a - b)
  const speakersAt = (spans: readonly LabelledSpan[], ms: number): Set<string> =>
    new Set(spans.filter(({ startMs, endMs }) => startMs <= ms && ms < endMs).map(({ speaker }) => speaker))
  return times.slice(1).flatMap((endMs, index): Slice[] => {
    const startMs = times[index] ?? 0
    if (collars.some((collar) => collar.startMs <= startMs && startMs < collar.endMs)) return []
    const said = speakersAt(reference, startMs)
    return [{ ms: endMs - startMs, said, heard: speakersAt(hypothesis, startMs) }]
  })
}

/** The speaker of the reference for each one of the hypothesis: those pairs that share most time in all. */
function matchSpeakers (slices: readonly Slice[]): Map<string, string> {
  const said = [...new Set(slices.flatMap((slice) => [...slice.said]))]
  const heard = [...new Set(slices.flatMap((slice) => [...slice.heard]))]
  const shared = said.map(() => heard.map(() => 0))
  for (const slice of slices) {
    for (const one of slice.said) {
      const row = shared[said.indexOf(one)]
      for (const other of slice.heard) if (row) row[heard.indexOf(other)]! += slice.ms
    }
  }
  const pairs = assignBest(shared).flatMap((column, row): Array<[string, string]> => {
    const [one, other] = [said[row], heard[column ?? -1]]
    return one !== undefined && other !== undefined && (shared[row]?.[column ?? -1] ?? 0) > 0 ? [[other, one]] : []
  })
  return new Map(pairs)
}

/**
 * The errors of a hypothesis, over the whole recording. Speakers are matched so that the error is smallest. Errors are counted as in NIST's
 * md-eval: where n people speak and m are heard, n - m are missed or m - n are false alarms. The others are confused if they do not match.
 */
export function measureSpeakerErrors (
  reference: readonly LabelledSpan[], hypothesis: readonly LabelledSpan[], durationMs: number, rules: ErrorRules
): SpeakerErrors {
  const slices = cut(reference, hypothesis, durationMs, rules.collarMs)
  // As md-eval does, speakers are matched over all of them, whether or not overlap counts.
  const match = matchSpeakers(slices)
  const counted = slices.filter(({ said }) => rules.overlap === 'count' || said.size < 2)
  return sumSpeakerErrors(counted.map(({ ms, said, heard }) => {
    const right = [...heard].filter((speaker) => said.has(match.get(speaker) ?? '')).length
    return {
      speechMs: ms * said.size,
      missedMs: ms * Math.max(0, said.size - heard.size),
      falseAlarmMs: ms * Math.max(0, heard.size - said.size),
      confusionMs: ms * (Math.min(said.size, heard.size) - right)
    }
  }))
}
