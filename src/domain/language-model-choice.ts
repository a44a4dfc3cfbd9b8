/** Which of the recommended language models suits a machine. Pure. */

/** A recommended model. `layerParameters`: the weights that every token of a prompt is multiplied with, which excludes embeddings. */
export type SizedModel = { name: string, layerParameters: number, bytes: number }

/**
 * What a machine can do. `weightsPerSecond`: tokens of a prompt read in a second, times the `layerParameters` of the model that read them.
 * `memoryBytes`: what is free.
 */
export type MachineSpeed = { weightsPerSecond: number, memoryBytes: number }
/** `readsPerSecond`: tokens of a prompt; an estimate. */
export type ModelChoice = { name: string, readsPerSecond: number }

/**
 * The least tokens a second that a recommended model reads: an hour of speech is about 13,000 tokens, and half of the ten minutes that the
 * background has for an artifact is left for writing.
 */
export const LEAST_READS_PER_SECOND = 45
/** Weights are copied into the processor's own layout; the context and the results of one step come on top. Measured: see decision 56. */
const NEEDED = { timesFile: 1.2, moreBytes: 700 * 1024 ** 2 }
/** Bytes of a file for each of its layer parameters, where only the file is known: between the sizes of 4-bit models. */
const BYTES_A_PARAMETER = 0.8

/** Memory that a model needs, in bytes, from the size of its file. */
export const memoryFor = (fileBytes: number): number => fileBytes * NEEDED.timesFile + NEEDED.moreBytes

/** The layer parameters of a model of which only the file is known. Crude: the share of the embeddings differs. */
export const estimateParameters = (fileBytes: number): number => fileBytes / BYTES_A_PARAMETER

/**
 * The largest model that fits into the memory and reads fast enough. Undefined: even the smallest one does not.
 */
export function chooseModelSize (models: readonly SizedModel[], { weightsPerSecond, memoryBytes }: MachineSpeed): ModelChoice | undefined {
  const [best] = models
    .map(({ name, layerParameters, bytes }) => ({ name, bytes, readsPerSecond: Math.round(weightsPerSecond / layerParameters) }))
    .filter(({ bytes, readsPerSecond }) => memoryFor(bytes) <= memoryBytes && readsPerSecond >= LEAST_READS_PER_SECOND)
    .sort((a, b) => b.bytes - a.bytes)
  return best && { name: best.name, readsPerSecond: best.readsPerSecond }
}
