/** The share of words that have the right speaker. */
import { alignTokens } from '../text/alignment.js'
import { splitTokens } from '../text/tokens.js'
import type { Unit } from '../text/tokens.js'
import { assignBest } from './assignment.js'
import type { LabelledSpan } from './rttm.js'

/** `speaker`: the label that the word got; absent when it got none. */
export type LabelledWord = { text: string, startMs: number, endMs: number, speaker?: string }
export type LabelledSentence = { text: string, speaker: string }

/**
 * `words`: those of which the speaker is known. `wrong`: of those, the words with another speaker or none. Speakers are matched so that
 * `wrong` is smallest.
 */
export type SpeakerWords = { words: number, wrong: number }

/** Speakers of the reference that a word may have, and the one that it got. */
type Judged = { said: readonly string[], heard: string | undefined }

function countWrong (judged: readonly Judged[]): SpeakerWords {
  const said = [...new Set(judged.flatMap((word) => word.said))]
  const heard = [...new Set(judged.flatMap((word) => word.heard ?? []))]
  const shared = said.map((one) => heard.map((other) => judged.filter((word) => word.heard === other && word.said.includes(one)).length))
  const match = assignBest(shared)
  const isRight = (word: Judged): boolean =>
    word.heard !== undefined && word.said.some((one) => heard[match[said.indexOf(one)] ?? -1] === word.heard)
  return { words: judged.length, wrong: judged.filter((word) => !isRight(word)).length }
}

/** Pauses up to this length belong to a turn, as in NIST's evaluations of meetings. */
const MAX_PAUSE_MS = 300

/** Who speaks when, according to the labels of words in order of time. A turn ends where its last word does. */
export function turnsOfWords (words: readonly LabelledWord[]): LabelledSpan[] {
  const turns: LabelledSpan[] = []
  for (const { startMs, endMs, speaker } of words) {
    const last = turns.at(-1)
    if (speaker === undefined) continue
    if (last?.speaker === speaker && startMs - last.endMs <= MAX_PAUSE_MS) last.endMs = Math.max(last.endMs, endMs)
    else turns.push({ startMs, endMs, speaker })
  }
  return turns
}

/** By time: who talks in the middle of each word. Words in which nobody talks, or which have no signs that are spoken, do not count. */
export function countWordsByTime (reference: readonly LabelledSpan[], words: readonly LabelledWord[]): SpeakerWords {
  return countWrong(words.flatMap(({ text, startMs, endMs, speaker }): Judged[] => {
    const middle = (startMs + endMs) / 2
    const said = reference.filter((span) => span.startMs <= middle && middle < span.endMs).map((span) => span.speaker)
    return said.length === 0 || splitTokens(text, 'word').length === 0 ? [] : [{ said, heard: speaker }]
  }))
}

/**
 * By text, the word diarization error rate: of the words that are aligned with a word of the reference, right or replaced, those with
 * another speaker. Source: Shafey, Soltau, Shafran, "Joint speech recognition and speaker diarization", 2019.
 */
export function countWordsByText (reference: readonly LabelledSentence[], words: readonly LabelledWord[], unit: Unit): SpeakerWords {
  const said = reference.flatMap(({ text, speaker }) => splitTokens(text, unit).map((token) => ({ token, speaker })))
  const heard = words.flatMap(({ text, speaker }) => splitTokens(text, unit).map((token) => ({ token, speaker })))
  const aligned = alignTokens(said.map(({ token }) => token), heard.map(({ token }) => token))
  return countWrong(heard.flatMap(({ speaker }, index): Judged[] => {
    const partner = said[aligned[index] ?? -1]
    return partner ? [{ said: [partner.speaker], heard: speaker }] : []
  }))
}
