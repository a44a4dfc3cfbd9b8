/** Which speech model suits a machine, and how long an hour of speech takes with it. Estimates, from the sizes of the models. Pure. */

/** Parameters of the encoder, which reads sound, and of the decoder, which writes text, in millions. */
type Parts = { encoder: number, decoder: number }

/** Of whisper's sizes (its model card and `dims` of its checkpoints). Parakeet reads with nearly all of its parameters. */
const PARTS: ReadonlyArray<[name: RegExp, Parts]> = [
  [/^tiny(\.en)?$/, { encoder: 8, decoder: 30 }],
  [/^base(\.en)?$/, { encoder: 20, decoder: 52 }],
  [/^small(\.en)?$/, { encoder: 88, decoder: 154 }],
  [/^medium(\.en)?$/, { encoder: 307, decoder: 457 }],
  [/^large-v3-turbo(-q\d_\d)?$/, { encoder: 637, decoder: 172 }],
  [/^large-v3(-q\d_\d)?$/, { encoder: 637, decoder: 907 }],
  [/^parakeet-/, { encoder: 600, decoder: 0 }]
]
/** Positions a second that an encoder reads: 1500 for a window of 30 s, and an eighth of 100 frames. */
const POSITIONS = { whisper: 50, parakeet: 12.5 }
/** Tokens a second that a decoder writes in fast speech, times the beams. Beams share the reading of the weights, so they count half. */
const TOKENS = 4 * 5 / 2
/**
 * What is not in the products with weights: attention, second decodings, speech detection, indexing; and weights that are read slower than
 * those of the embedding model. From one measurement: `base` needs 15 minutes of one processor for an hour where the products need 3.4.
 */
const OVERHEAD = 4.5

/** The longest time for an hour of speech with a recommended model, in minutes. */
const MOST_MINUTES = 30
/** Weights and the states of the decoders, in bytes. */
const memoryFor = (bytes: number): number => bytes * 1.3 + 400 * 1024 ** 2

export type SpeechModel = { name: string, bytes: number, languages: readonly string[] | undefined }
/** `weightsPerSecond`: of all threads; undefined when it was not measured, or a GPU works. `memoryBytes`: for models. */
export type SpeechMachine = { weightsPerSecond: number | undefined, memoryBytes: number, hasGpu: boolean }

/** Minutes that a machine needs for an hour of speech; undefined for unknown models. */
export function minutesPerHour (name: string, weightsPerSecond: number): number | undefined {
  const parts = PARTS.find(([pattern]) => pattern.test(name))?.[1]
  if (!parts) return undefined
  const positions = name.startsWith('parakeet') ? POSITIONS.parakeet : POSITIONS.whisper
  const weights = 1e6 * (positions * parts.encoder + TOKENS * parts.decoder)
  return 60 * OVERHEAD * weights / weightsPerSecond
}

/**
 * The model to recommend: the largest one for all languages that fits into the memory and is fast enough. With a GPU, speed is no limit.
 * Undefined when none fits.
 */
export function chooseSpeechModel (
  models: readonly SpeechModel[], { weightsPerSecond, memoryBytes, hasGpu }: SpeechMachine
): string | undefined {
  const isFast = (name: string): boolean => {
    if (hasGpu) return true
    const minutes = weightsPerSecond === undefined ? undefined : minutesPerHour(name, weightsPerSecond)
    return minutes !== undefined && minutes <= MOST_MINUTES
  }
  const [best] = models
    .filter(({ name, bytes, languages }) => !languages && memoryFor(bytes) <= memoryBytes && isFast(name))
    .sort((a, b) => b.bytes - a.bytes)
  return best?.name
}
