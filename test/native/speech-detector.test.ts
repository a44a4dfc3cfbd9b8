import t from 'tap'
import { findSileroModel, readSileroTensors } from '../../dist/native/silero.js'
import { addon, decode, RATE_HZ } from '../support/native.ts'
import { AUDIO } from '../support/paths.ts'

const FRAME = 512
const tensors = readSileroTensors(findSileroModel())
const detect = addon.createSpeechDetector(tensors)
const start = (): Float32Array => new Float32Array(320)

const whole = (pcm: Float32Array): Float32Array => pcm.subarray(0, Math.floor(pcm.length / FRAME) * FRAME)
const pcm = whole(decode(AUDIO + 'en-1.wav'))

t.test('it is Silero: the figures are those of its ONNX file in another runtime', async (t) => {
  // onnxruntime 1.31 over test/fixtures/audio/en-1.wav, every ninth frame.
  const expected = [
    0.0308, 0.0417, 0.9943, 0.761, 0.9895, 0.9972, 0.9974, 0.9971, 0.9985, 0.9982, 0.0144, 0.9995, 0.9984, 0.9997, 0.9997, 0.999, 0.9986,
    0.9003, 0.9733, 0.9995, 0.0847, 0.0016
  ]
  const { probabilities } = detect(pcm, start())
  t.equal(probabilities.length, pcm.length / FRAME)
  for (const [index, probability] of expected.entries()) {
    const found = probabilities[index * 9] ?? NaN
    t.ok(Math.abs(found - probability) < 2e-4, `frame ${index * 9}: ${found.toFixed(4)}`)
  }
})

t.test('a recording in pieces is heard as one', async (t) => {
  const { probabilities } = detect(pcm, start())
  for (const frames of [1, 3, 32, 33]) {
    let state = start()
    const found: number[] = []
    for (let at = 0; at < pcm.length; at += frames * FRAME) {
      const heard = detect(pcm.subarray(at, at + frames * FRAME), state)
      state = heard.state
      found.push(...heard.probabilities)
    }
    t.strictSame(found, [...probabilities], `pieces of ${frames} frames`)
  }
})

t.test('silence, noise and hum are no speech', async (t) => {
  const sound = (value: (index: number) => number): Float32Array => Float32Array.from({ length: 200 * FRAME }, (_, index) => value(index))
  for (const [name, audio] of [
    ['silence', sound(() => 0)],
    ['noise', sound((index) => ((index * 7919 + index * index) % 2001 - 1000) / 10_000)],
    ['hum', sound((index) => 0.3 * Math.sin(2 * Math.PI * 50 * index / RATE_HZ))]
  ] as const) t.ok(Math.max(...detect(audio, start()).probabilities) < 0.5, name)
  t.strictSame([...detect(new Float32Array(0), start()).probabilities], [])
})

t.test('wrong arguments and wrong weights are refused', async (t) => {
  t.throws(() => detect(pcm.subarray(1), start()), { code: 'INVALID_ARGUMENT' })
  t.throws(() => detect(pcm, new Float32Array(10)), { code: 'INVALID_ARGUMENT' })
  const { 'encoder.0.reparam_conv.bias': _, ...lacking } = tensors
  t.throws(() => addon.createSpeechDetector(lacking), { code: 'MODEL_INVALID', message: /encoder\.0/ })
  t.throws(() => addon.createSpeechDetector({ ...tensors, 'decoder.rnn.bias_ih': new Float32Array(3) }), {
    code: 'MODEL_INVALID',
    message: /bias_ih/
  })
  t.throws(() => readSileroTensors(AUDIO + 'en-1.wav'), 'a file that is not ONNX')
})
