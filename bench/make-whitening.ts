/**
 * Computes a matrix like models/starter/speaker-ge2e-whitening.bin from a folder with one recording of each voice:
 * `node bench/make-whitening.ts FOLDER OUT`. The recordings hold speech only. SPEAKER_MODEL_CARD.md says which voices were used.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { ROOT } from '../dist/evaluate/machine/paths.js'
import { createRandom } from '../dist/evaluate/sounds/random.js'
import { decode, RATE_HZ } from '../test/support/native.ts'
import { computeWhitening } from './lib/whitening.ts'

const WINDOW_SAMPLES = 25_840
const STEP_SAMPLES = 0.2 * RATE_HZ
const BATCH = 16
/** Faint noise, so that synthetic pauses are not perfectly silent. */
const NOISE = 0.001

const [folder, out] = process.argv.slice(2)
if (folder === undefined || out === undefined) throw new Error('usage: node bench/make-whitening.ts FOLDER OUT')

const session = await InferenceSession.create(`${ROOT}/models/starter/speaker-ge2e-wav.onnx`)

/** Voice prints of all windows of a recording. */
async function embed (path: string, seed: number): Promise<Float32Array[]> {
  const random = createRandom(seed)
  const sound = decode(path).map((sample) => sample + NOISE * (2 * random() - 1))
  const starts: number[] = []
  for (let start = 0; start + WINDOW_SAMPLES <= sound.length; start += STEP_SAMPLES) starts.push(start)
  const prints: Float32Array[] = []
  for (let first = 0; first < starts.length; first += BATCH) {
    const batch = starts.slice(first, first + BATCH)
    const wav = new Float32Array(batch.length * WINDOW_SAMPLES)
    for (const [index, start] of batch.entries()) wav.set(sound.subarray(start, start + WINDOW_SAMPLES), index * WINDOW_SAMPLES)
    const { embedding } = await session.run({ wav: new Tensor('float32', wav, [batch.length, WINDOW_SAMPLES]) })
    const values = embedding?.data as Float32Array
    const size = values.length / batch.length
    for (let index = 0; index < batch.length; index++) prints.push(values.slice(index * size, (index + 1) * size))
  }
  return prints
}

const voices: Float32Array[][] = []
for (const [index, name] of readdirSync(folder).sort().entries()) {
  voices.push(await embed(`${folder}/${name}`, index + 1))
  console.log(`${name}: ${voices.at(-1)!.length} windows`)
}
writeFileSync(out, computeWhitening(voices))
