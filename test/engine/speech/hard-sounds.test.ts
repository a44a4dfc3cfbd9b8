/** Recordings that make telling speakers apart hard, or that have none: the bundled engine ends, and says no more than it knows. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createSpeakerPool } from '../../../dist/engine/speech/pool.js'
import { createSpeakerEngine } from '../../../dist/engine/speech/speakers.js'
import type { SpeakerTurn } from '../../../dist/domain/speaker.js'
import { playBand, toStereo } from '../../../dist/evaluate/sounds/music.js'
import { addBurst, bandPass, createSignal, mix, setLevel, whiteNoise } from '../../../dist/evaluate/sounds/sounds.js'
import type { Signal } from '../../../dist/evaluate/sounds/sounds.js'
import { decode, RATE_HZ } from '../../support/native.ts'
import { AUDIO } from '../../support/paths.ts'
import { NEVER } from '../../support/never.ts'

const TAU = 2 * Math.PI
const pool = createSpeakerPool()
t.after(async () => { await pool.close() })
const engine = createSpeakerEngine({ pool })
const directory = t.testdir()
let made = 0

/** Observes sound as the appliance stores it; then finds turns for what is known of the number of speakers. */
async function observe (sound: Signal) {
  const path = `${directory}/${made++}`
  writeFileSync(path, Int16Array.from(sound, (value) => Math.round(32_767 * Math.min(1, Math.max(-1, value)))))
  const end = Math.ceil(sound.length / 16)
  const pieces: Uint8Array[] = []
  for (let startMs = 0; startMs < end; startMs += engine.pieceMs) {
    pieces.push(await engine.observe({ path, startMs, endMs: Math.min(end, startMs + engine.pieceMs) }, NEVER))
  }
  return async (count = {}): Promise<SpeakerTurn[]> => await engine.findTurns({ pieces, count }, NEVER)
}
const countVoices = (turns: readonly SpeakerTurn[]): number => new Set(turns.map(({ voice }) => voice)).size
const voicesIn = async (sound: Signal): Promise<number> => countVoices(await (await observe(sound))())

/** Played faster: pitch and formants rise by the factor. */
const playAt = (sound: Signal, factor: number): Signal => Float32Array.from({ length: Math.floor(sound.length / factor) }, (_, index) => {
  const at = Math.floor(index * factor)
  const rest = index * factor - at
  return (1 - rest) * (sound[at] ?? 0) + rest * (sound[at + 1] ?? 0)
})

/** Bursts of a falling voiced sound, five a second, in groups, over faint noise. */
function laugh (seconds: number): Signal {
  const frame = { seconds, rateHz: RATE_HZ, seed: 5 }
  const signal = createSignal(frame)
  for (let at = 0.3; at < seconds; at += at % 3 < 2 ? 0.21 : 0.5) {
    addBurst(signal, frame, at, 0.12, (time) => {
      const hz = 260 - 300 * time
      const tone = Array.from({ length: 12 }, (_, k) => Math.sin(TAU * hz * (k + 1) * time) / (1 + Math.abs((k + 1) * 250 - 800) / 300))
      return Math.sin(Math.PI * time / 0.12) ** 2 * tone.reduce((sum, value) => sum + value, 0)
    })
  }
  return mix(setLevel(signal, -20), setLevel(bandPass(whiteNoise(frame), { centreHz: 1500, q: 1, rateHz: RATE_HZ }), -40))
}

/** A voice through filters of ffmpeg. */
function filter (file: string, filters: string): Signal {
  const path = `${directory}/filtered-${made++}.wav`
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-i', file, '-af', filters, path])
  return decode(path)
}
const passes = (lowHz: number, highHz: number): string =>
  [...Array<string>(2).fill(`highpass=f=${lowHz}`), ...Array<string>(3).fill(`lowpass=f=${highHz}`)].join(',')

t.test('noise and music without singing have no speakers; a laugh has at most one', async (t) => {
  const frame = { seconds: 12, rateHz: RATE_HZ, seed: 3 }
  const [left] = toStereo(playBand(frame, undefined, 'always'))
  t.equal(await voicesIn(setLevel(whiteNoise(frame), -20)), 0)
  t.equal(await voicesIn(setLevel(left, -18)), 0)
  t.ok(await voicesIn(laugh(12)) <= 1)
})

t.test('a slow voice with vibrato over music is at most one speaker', async (t) => {
  const voice = filter(AUDIO + 'en-1.wav', 'atempo=0.6,vibrato=f=5.5:d=0.4')
  const [left] = toStereo(playBand({ seconds: voice.length / RATE_HZ, rateHz: RATE_HZ, seed: 3 }, undefined, 'always'))
  t.ok(await voicesIn(mix(voice, setLevel(left, -30))) <= 1)
})

t.test('two seconds and half a second are at most one speaker', async (t) => {
  const voice = decode(AUDIO + 'en-1.wav')
  for (const seconds of [2, 0.5]) t.ok(await voicesIn(voice.subarray(0, seconds * RATE_HZ)) <= 1, `${seconds} s`)
})

t.test('on a telephone, and with nothing above 1.3 kHz, both people are told apart where their number is known', async (t) => {
  const known = decode(AUDIO + 'dialogue.mp3')
  const expected = await (await observe(known))()
  for (const highHz of [3400, 1300]) {
    const find = await observe(filter(AUDIO + 'dialogue.mp3', passes(300, highHz)))
    const unknown = countVoices(await find())
    t.ok(unknown >= 2 && unknown <= 4, `${unknown} voices up to ${highHz} Hz`)
    const turns = await find({ min: 2, max: 2 })
    t.equal(countVoices(turns), 2)
    t.ok(Math.abs(turns.length - expected.length) <= 4, `${turns.length} turns instead of ${expected.length}`)
  }
})

t.test('forty voices: no more are found than there are, nor more than the caller allows', async (t) => {
  const voices = ['en-1.wav', 'en-2.flac', 'en-3.mp3', 'de-1.m4a', 'es-1.ogg'].map((name) => decode(AUDIO + name).subarray(0, 5 * RATE_HZ))
  const factors = [0.72, 0.8, 0.88, 0.96, 1.04, 1.12, 1.2, 1.28]
  const turns = factors.flatMap((factor) => voices.map((voice) => playAt(voice, factor)))
  const sound = new Float32Array(turns.reduce((sum, turn) => sum + turn.length, 0))
  let at = 0
  for (const turn of turns) {
    sound.set(turn, at)
    at += turn.length
  }
  const find = await observe(sound)
  const found = countVoices(await find())
  t.comment(`${found} voices found of ${turns.length}`)
  t.ok(found >= 2 && found <= turns.length, `${found} voices`)
  for (const max of [1, 4]) t.ok(countVoices(await find({ max })) <= max, `at most ${max}`)
  t.equal(countVoices(await find({ min: 6, max: 6 })), 6)
})
