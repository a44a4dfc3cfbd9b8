/** Tests a model: loads it and transcribes a generated sound, in a process of its own as the server does. */
import { writeFile } from 'node:fs/promises'
import { ModelError } from '../../domain/model-error.js'
import { SpeechError } from '../../domain/speech-error.js'
import type { DecodingOptions } from '../../workers/protocol.js'
import type { ModelEntry } from '../models/manifest.js'
import type { SpeechKind } from '../models/models.js'
import { createInferenceHelper } from './helper.js'

const RATE_HZ = 16_000
const SECONDS = 4

/** Greedy, at one temperature: only whether decoding works matters, not the text. */
const DECODING: DecodingOptions = {
  beamSize: 1, bestOf: 1, temperature: 0, temperatureStep: 0, contextTokens: 0, suppressNonSpeech: true,
  entropyThreshold: 2.4, logProbThreshold: -1, noSpeechThreshold: 0.6
}

/** A voice-like sound, s16le: pulses of 120 to 180 Hz in bursts of a third of a second. Always the same. */
function makeSound (): Buffer {
  const bytes = Buffer.alloc(2 * SECONDS * RATE_HZ)
  let phase = 0
  for (let index = 0; index < SECONDS * RATE_HZ; index++) {
    const seconds = index / RATE_HZ
    phase += (150 + 30 * Math.sin(2 * Math.PI * seconds)) / RATE_HZ
    const pulse = Math.exp(-12 * (phase % 1)) * Math.sin(2 * Math.PI * 700 * seconds)
    bytes.writeInt16LE(Math.round(9000 * pulse * (Math.floor(3 * seconds) % 2)), 2 * index)
  }
  return bytes
}

export type Trial = {
  path: string
  kind: SpeechKind
  alignmentHeads: ModelEntry['alignmentHeads'] | undefined
  languages: string[] | undefined
}

/** Loads a model and transcribes a few seconds of sound. `scratch`: where to write the sound. Throws `ModelError` with what went wrong. */
export async function tryModel ({ path, kind, alignmentHeads, languages }: Trial, scratch: string): Promise<void> {
  await writeFile(scratch, makeSound())
  const helper = createInferenceHelper({ threads: { speech: 1, detector: 1 } })
  try {
    const { segments } = await helper.speech.run('transcribe', {
      audioPath: scratch,
      spans: [{ startSample: 0, endSample: SECONDS * RATE_HZ }],
      model: { path, kind, gpu: false, alignmentHeads },
      threads: 1,
      language: languages?.[0],
      prior: [],
      languages,
      prompt: '',
      terms: [],
      decoding: DECODING
    })
    const probabilities = segments.flatMap(({ tokens }) => tokens.map(({ probability }) => probability))
    const isValid = probabilities.every((probability) => probability >= 0 && probability <= 1)
    if (!isValid) throw new ModelError('the model returns numbers that are not probabilities: its weights are damaged')
  } catch (error) {
    throw error instanceof SpeechError ? new ModelError(`the model cannot be used: ${error.message}`, { cause: error }) : error
  } finally {
    await helper.close()
  }
}
