/** Warnings for readers of a transcript, derived from stored facts. Only this file derives warnings. */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { FailureCode } from './errors.js'

const WARNING_CODES = ['starter_model', 'little_text', 'speakers_missing', 'speakers_substitute', 'words_only'] as const

export const Warning = Type.Object({
  code: Type.Enum(WARNING_CODES),
  message: Type.String({ description: 'what happened and what to do' })
}, { title: 'Warning', additionalProperties: false })
export type Warning = Static<typeof Warning>

/**
 * Facts about the transcribed windows of a job. `speechMs`: likely speech. `wordlessMs`: the part of it in windows without a word.
 * `usedStarter`: whether the starter model produced any of the text. `speakersFailure`: why wanted speakers could not be identified.
 * `hasSubstituteSpeakers`: whether the bundled model found them, because installed speaker models could not be used.
 */
export type TranscriptFacts = {
  usedStarter: boolean, speechMs: number, wordlessMs: number, wordCount: number, speakersFailure?: FailureCode | undefined
  hasSubstituteSpeakers?: boolean
}

/** Windows without words that hold this much speech cause a warning. Less is laughter, a cough, or a note that sounds like a voice. */
const WORDLESS_MS = 10_000
/** People speak two to three words per second; the slowest speak one. */
const MIN_WORDS_PER_SECOND = 0.5

function hasLittleText ({ speechMs, wordlessMs, wordCount }: TranscriptFacts): boolean {
  if (wordCount === 0) return speechMs > 0
  return wordlessMs >= WORDLESS_MS || (speechMs >= WORDLESS_MS && wordCount < MIN_WORDS_PER_SECOND * speechMs / 1000)
}

const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))} s`

const SPEAKER_FAILURES: Readonly<Partial<Record<FailureCode, string>>> = {
  model_unavailable: 'The speaker model is missing or damaged; the administrator can see more with: stenobox doctor.',
  out_of_memory: 'There was not enough memory to tell the speakers apart.',
  insufficient_storage: 'The disk was full.',
  timeout: 'Telling the speakers apart took too long and was stopped.',
  worker_crashed: 'Telling the speakers apart was interrupted many times at the same point and was stopped.'
}

/** Why a transcript has no speakers, in a sentence for people. */
export const explainSpeakersFailure = (code: FailureCode): string =>
  SPEAKER_FAILURES[code] ?? 'Something went wrong while the speakers were told apart; details are in the log.'

/** The warnings of a completed transcription. Most have none. */
export function deriveWarnings (facts: TranscriptFacts): Warning[] {
  const warnings: Warning[] = []
  if (facts.usedStarter) {
    warnings.push({
      code: 'starter_model',
      message: 'This text was made by the starter model, which was trained on synthetic voices and does not understand people. ' +
        'Install a real model (stenobox models pull base) and transcribe the recording again.'
    })
  }
  if (hasLittleText(facts)) {
    warnings.push({
      code: 'little_text',
      message: `Somebody seems to speak for ${seconds(facts.speechMs)} of this recording, but there is little or no text for it. ` +
        'Listen to the parts without text. If somebody speaks there, name the language or use a larger model.'
    })
  }
  if (facts.speakersFailure !== undefined) {
    warnings.push({
      code: 'speakers_missing',
      message: `The text is complete, but it does not say who speaks. ${explainSpeakersFailure(facts.speakersFailure)} ` +
        'To try again: POST /api/v1/transcriptions/{id}/speakers.'
    })
  }
  if (facts.hasSubstituteSpeakers) {
    warnings.push({
      code: 'speakers_substitute',
      message: 'The installed speaker models could not be used, so the bundled one told the speakers apart. The administrator can see ' +
        'the reason with: stenobox doctor. To try again: POST /api/v1/transcriptions/{id}/speakers.'
    })
  }
  return warnings
}

/** The warning of an indexed transcription without vectors. `model`: of its vectors. `fault`: why they could not be made. */
export function deriveIndexWarning ({ model, fault }: { model: string | undefined, fault: string | undefined }): Warning[] {
  if (model !== undefined) return []
  const reason = fault === undefined
    ? 'no embedding model was installed when it was indexed. With one, it is indexed again; the administrator can see more with: ' +
      'stenobox doctor.'
    : 'the embedding model failed. It is tried again every hour; the administrator can see the reason in the log.'
  return [{ code: 'words_only', message: `Search finds this text by its words only, because ${reason}` }]
}
