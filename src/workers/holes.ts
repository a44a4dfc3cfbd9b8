/** Fills holes: speech for which the first pass has no words is decoded by itself and added where the decoder is sure of its text. */
import { assignLanguages } from '../domain/language.js'
import { toUnits } from '../domain/loops.js'
import { findHoles } from '../domain/speech-chunks.js'
import type { Stretch } from '../domain/speech-chunks.js'
import type { NativeSegment, NativeToken } from '../native/addon.js'
import { decodeStretch, hasLoop, onsetOf, samplesOf, sureness, textOf } from './decoding.js'
import type { WindowTask } from './decoding.js'
import { detectLanguage, MARGIN_MS, mostSpoken, widen } from './window-languages.js'
import type { LanguageRun, WindowFacts } from './window-languages.js'

/** Recovered text needs this mean log probability; the first pass had a reason to leave the speech out. */
const LEAST_MEAN_LOG_PROBABILITY = -0.7
/** Whisper's own threshold: above this probability a segment is silence. */
export const NO_SPEECH_PROBABILITY = 0.6
/** Tokens on each side of a hole that its text is compared with. In a segment that begins with a pause, times are wrong by seconds. */
const NEIGHBOUR_TOKENS = 8

/** Decodes the holes of a first pass. Their text is used when the decoder is sure of it and it does not repeat itself or its neighbours. */
export function fillHoles (
  task: WindowTask, { probabilities, lengthMs }: WindowFacts, segments: readonly NativeSegment[], runs: readonly LanguageRun[]
): NativeSegment[] {
  const holes = findHoles(probabilities, segments.flatMap(({ tokens }) => tokens.map(onsetOf)))
  const alone = { ...task, options: { ...task.options, prompt: '', contextTokens: 0 } }
  const found = holes.flatMap((hole) => {
    const wide = widen(hole, lengthMs)
    const around = runs.findLast(({ startMs }) => startMs <= hole.startMs)?.language ?? mostSpoken(runs)
    const recovered = keepWithin(decodeStretch(alone, wide, languageOfHole(task, hole, wide, around)), hole)
    const isSilent = recovered.some(({ noSpeechProbability }) => noSpeechProbability > NO_SPEECH_PROBABILITY)
    const isSure = !isSilent && sureness(recovered) >= LEAST_MEAN_LOG_PROBABILITY
    return isSure && !hasLoop(recovered) && !isSaidAround(recovered, segments, hole) ? recovered : []
  })
  return found.length === 0 ? [...segments] : splice(segments, found)
}

/** Whether most words of a recovered text are already in the text next to the hole. */
function isSaidAround (recovered: readonly NativeSegment[], segments: readonly NativeSegment[], { startMs }: Stretch): boolean {
  const tokens = segments.flatMap((segment) => segment.tokens)
  const at = tokens.filter((token) => onsetOf(token) <= startMs).length
  const known = new Set(toUnits(textOf(tokens.slice(Math.max(0, at - NEIGHBOUR_TOKENS), at + NEIGHBOUR_TOKENS))))
  const words = toUnits(textOf(recovered.flatMap((segment) => segment.tokens)))
  return words.filter((word) => known.has(word)).length > words.length / 2
}

/** Removes tokens outside the hole, because their words are already in the text. */
function keepWithin (segments: readonly NativeSegment[], { startMs, endMs }: Stretch): NativeSegment[] {
  const reach = MARGIN_MS / 2
  const isInside = (token: NativeToken): boolean => onsetOf(token) >= startMs - reach && onsetOf(token) <= endMs + reach
  return segments
    .map((segment) => ({ ...segment, tokens: segment.tokens.filter(isInside) }))
    .filter(({ tokens }) => tokens.length > 0)
}

/** The language of a hole: that of the text around it, unless the sound is clearly in another language. */
function languageOfHole (task: WindowTask, hole: Stretch, wide: Stretch, around: string): string {
  if (task.input.language !== undefined) return task.input.language
  const posteriors = detectLanguage(task, samplesOf(task.pcm, wide))
  return assignLanguages([{ posteriors, speechMs: hole.endMs - hole.startMs }], [{ language: around, probability: 1 }])[0] ?? around
}

/** All segments in order of time. A segment that contains a filled hole is split there. */
function splice (segments: readonly NativeSegment[], found: readonly NativeSegment[]): NativeSegment[] {
  const pieces = segments.flatMap((segment) => {
    const inside = found.filter(({ startMs }) => startMs > segment.startMs && startMs < segment.endMs)
    return inside.reduce<NativeSegment[]>((parts, { startMs }) => {
      const last = parts.at(-1)
      if (!last) return parts
      const before = last.tokens.filter((token) => onsetOf(token) <= startMs)
      const after = last.tokens.filter((token) => onsetOf(token) > startMs)
      if (before.length === 0 || after.length === 0) return parts
      const nextMs = Math.max(last.startMs, Math.min(...after.map(onsetOf)))
      return [...parts.slice(0, -1), { ...last, endMs: startMs, tokens: before }, { ...last, startMs: nextMs, tokens: after }]
    }, [segment])
  })
  const ordered = [...pieces, ...found].sort((a, b) => a.startMs - b.startMs)
  return ordered.map((segment, index) => {
    const nextMs = Math.max(segment.startMs, ordered[index + 1]?.startMs ?? Infinity)
    return { ...segment, endMs: Math.min(segment.endMs, nextMs) }
  })
}
