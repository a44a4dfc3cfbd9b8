/** Windows of real sound, through the real detector. */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { decodedSpans } from '../../dist/domain/windows.js'
import { createWindowing } from '../../dist/service/windowing.js'
import { detectSpeech } from '../../dist/workers/speech-detection.js'
import { playBand } from '../../dist/evaluate/sounds/music.js'
import { decode, RATE_HZ } from '../support/native.ts'
import { AUDIO } from '../support/paths.ts'

const concatenate = (parts: readonly Float32Array[]): Float32Array => Float32Array.from(parts.flatMap((part) => [...part]))
const amplify = (pcm: Float32Array, db: number): Float32Array => pcm.map((sample) => sample * 10 ** (db / 20))

/** Windows of a recording that is written in these many pieces, and what is in none. */
async function cut (t: Test, pcm: Float32Array, pieces = 1) {
  const audioPath = t.testdir() + '/audio.pcm'
  writeFileSync(audioPath, Buffer.from(Int16Array.from(pcm, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767).buffer))
  const windowing = createWindowing({
    async detectSpeech (input) {
      const result = detectSpeech(input)
      if (!result.ok) throw new Error(result.message)
      return result.value
    }
  }, audioPath)
  const windows = []
  for (let piece = 1; piece < pieces; piece++) windows.push(...await windowing.advance(Math.floor(pcm.length * piece / pieces)))
  windows.push(...await windowing.finish(pcm.length))
  return { windows, skipped: windowing.skipped() }
}

const sentence = decode(AUDIO + 'en-1.wav')
const band = Object.values(playBand({ seconds: 90, rateHz: RATE_HZ, seed: 5 }))
const music = Float32Array.from({ length: 90 * RATE_HZ }, (_, index) => 0.4 * band.reduce((sum, part) => sum + (part[index] ?? 0), 0))

t.test('the same samples give the same windows, however they arrive', async (t) => {
  const pcm = concatenate([music.subarray(0, 40 * RATE_HZ), sentence, new Float32Array(50 * RATE_HZ), sentence, sentence])
  t.strictSame(await cut(t, pcm, 23), await cut(t, pcm))
})

t.test('what is left out ends with the recording, also inside a frame', async (t) => {
  const { windows, skipped } = await cut(t, new Float32Array(RATE_HZ / 20))
  t.strictSame(windows, [])
  t.strictSame(skipped.map(({ startMs, endMs }) => [startMs, endMs]), [[0, 50]])
})

t.test('a quiet recording is heard as a loud one', async (t) => {
  for (const gainDb of [-38, -20, 0]) {
    const { windows: [window, ...others] } = await cut(t, amplify(sentence, gainDb))
    t.strictSame(others, [])
    t.ok((window?.speechMs ?? 0) > 4000, `${gainDb} dB: ${window?.speechMs} ms of speech`)
  }
})

t.test('loud music does not spoil the detector for the quiet voice behind it', async (t) => {
  const pcm = concatenate([music, amplify(sentence, -25), new Float32Array(60 * RATE_HZ)])
  const { windows } = await cut(t, pcm)
  const [from, to] = [music.length, music.length + sentence.length]
  const heard = windows.flatMap(decodedSpans).reduce(
    (sum, span) => sum + Math.max(0, Math.min(to, span.endSample) - Math.max(from, span.startSample)), 0
  )
  t.equal(heard, sentence.length, 'all of it is in windows')
})

t.test('noise alone is in no window, and listed', async (t) => {
  const { windows, skipped } = await cut(t, decode(AUDIO + 'noise.flac'))
  t.strictSame(windows, [])
  t.equal(skipped[0]?.startMs, 0)
})
