/** Which speech model is recommended, and how long an hour of speech takes with it. */
import t from 'tap'
import { chooseSpeechModel, minutesPerHour } from '../../dist/domain/speech-model-choice.js'

const MIB = 1024 ** 2
const model = (name: string, mib: number, languages?: string[]) => ({ name, bytes: mib * MIB, languages })
const MODELS = [
  model('tiny', 75), model('base', 141), model('base.en', 141, ['en']), model('small', 465), model('medium', 1460),
  model('large-v3-turbo-q5_0', 550), model('large-v3', 2950), model('own', 9000)
]
const machine = (weightsPerSecond: number | undefined, memoryMib = 16_000, hasGpu = false) =>
  ({ weightsPerSecond, memoryBytes: memoryMib * MIB, hasGpu })

t.test('larger models take longer, and the encoder costs the most', async (t) => {
  const minutes = ['tiny', 'base', 'small', 'large-v3-turbo', 'large-v3'].map((name) => minutesPerHour(name, 1e10) ?? 0)
  t.strictSame(minutes, [...minutes].sort((a, b) => a - b))
  t.equal(minutesPerHour('small.en', 1e10), minutesPerHour('small', 1e10))
  t.ok((minutesPerHour('parakeet-tdt-0.6b-v3', 1e10) ?? 0) < (minutesPerHour('medium', 1e10) ?? 0))
  t.equal(minutesPerHour('base', 2e10), (minutesPerHour('base', 1e10) ?? 0) / 2)
  t.equal(minutesPerHour('own', 1e10), undefined)
})

t.test('the largest one for all languages that is fast enough and fits into the memory', async (t) => {
  t.equal(chooseSpeechModel(MODELS, machine(1e8)), undefined, 'too slow for any')
  t.equal(chooseSpeechModel(MODELS, machine(2.7e10)), 'base', 'one thread')
  t.equal(chooseSpeechModel(MODELS, machine(6e10)), 'small', 'two threads')
  t.equal(chooseSpeechModel(MODELS, machine(1e13)), 'large-v3', 'never one whose speed is unknown')
  t.equal(chooseSpeechModel(MODELS, machine(1e13, 1200)), 'large-v3-turbo-q5_0', 'little memory')
  t.equal(chooseSpeechModel(MODELS, machine(undefined)), undefined, 'not measured')
  t.equal(chooseSpeechModel(MODELS.slice(0, -1), machine(undefined, 16_000, true)), 'large-v3', 'a GPU')
})
