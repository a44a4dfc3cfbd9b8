import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listRecordings } from '../../../dist/evaluate/folder.js'
import { playBand } from '../../../dist/evaluate/sounds/music.js'
import { setLevel, whiteNoise } from '../../../dist/evaluate/sounds/sounds.js'
import type { Signal } from '../../../dist/evaluate/sounds/sounds.js'
import { SYNTHETICS, encodeWav, renderSynthetic, synthesiseFolder } from '../../../dist/evaluate/sounds/synthesis.js'

const SECONDS = 1.5

function digest (channels: readonly Signal[]): string {
  const hash = createHash('sha256')
  for (const signal of channels) hash.update(Buffer.from(signal.buffer))
  return hash.digest('hex')
}

function levelOf (signal: Signal): number {
  return 10 * Math.log10(signal.reduce((sum, sample) => sum + sample * sample, 0) / signal.length)
}

t.test('every recording is the same in every run, in any order, and unlike the others', async (t) => {
  const first = SYNTHETICS.map((synthetic) => digest(renderSynthetic(synthetic, SECONDS)))
  const again = SYNTHETICS.toReversed().map((synthetic) => digest(renderSynthetic(synthetic, SECONDS))).reverse()
  t.strictSame(again, first)
  t.equal(new Set(first).size, first.length)
  t.equal(new Set(SYNTHETICS.map(({ name }) => name)).size, SYNTHETICS.length)
})

t.test('every recording has its length, stays within full scale, and sounds unless it is silence', async (t) => {
  for (const synthetic of SYNTHETICS) {
    const channels = renderSynthetic(synthetic, SECONDS)
    t.ok(channels.length === 1 || channels.length === 2)
    for (const signal of channels) {
      t.equal(signal.length, SECONDS * synthetic.rateHz, synthetic.name)
      t.ok(signal.every((sample) => Math.abs(sample) <= 1), synthetic.name)
      t.equal(signal.some((sample) => sample !== 0), !synthetic.name.startsWith('silence'), synthetic.name)
    }
  }
})

t.test('the signal has the requested level', async (t) => {
  const noise = whiteNoise({ seconds: 1, rateHz: 16000, seed: 5 })
  for (const dbfs of [-88, -40, -20]) t.ok(Math.abs(levelOf(setLevel(noise, dbfs)) - dbfs) < 0.01)
  t.ok(setLevel(new Float32Array(100), -20).every((sample) => sample === 0), 'silence has no level')
})

t.test('the band plays what its section has, unless told to play throughout', async (t) => {
  const sounds = (signal: Signal): boolean => signal.some((sample) => sample !== 0)
  const frame = { seconds: 3, rateHz: 16000, seed: 1 }
  const intro = playBand(frame)
  t.strictSame(Object.entries(intro).filter(([, signal]) => sounds(signal)).map(([part]) => part), ['chords', 'arpeggio'])
  t.ok(sounds(playBand(frame, ['lead'], 'always').lead))
})

t.test('WAV files interleave their channels', async (t) => {
  const wav = encodeWav([Float32Array.of(0, 0.5), Float32Array.of(-1, 2)], 44100)
  t.equal(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 12), 'RIFFWAVE')
  t.equal(wav.readUInt32LE(24), 44100)
  t.equal(wav.readUInt16LE(22), 2)
  t.strictSame([44, 46, 48, 50].map((offset) => wav.readInt16LE(offset)), [0, -32767, 16384, 32767])
})

t.test('the folder holds recordings in which nobody speaks', async (t) => {
  const folder = t.testdir()
  synthesiseFolder(folder, { seconds: 0.2 })
  const { recordings, faults, notes } = listRecordings([folder])
  t.equal(recordings.length, SYNTHETICS.length)
  t.ok(recordings.every(({ reference, sentences, language }) =>
    reference?.text === '' && sentences?.length === 0 && language === undefined))
  t.strictSame([faults, notes], [[], []])
  const once = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
  synthesiseFolder(folder, { seconds: 0.2 })
  t.strictSame(readdirSync(folder).map((file) => readFileSync(join(folder, file)).equals(once.shift() as Buffer)).includes(false), false)
})
