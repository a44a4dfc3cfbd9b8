import t from 'tap'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { createSpeakerPool } from '../../../dist/engine/speech/pool.js'
import { createSpeakerEngine } from '../../../dist/engine/speech/speakers.js'
import { dot } from '../../../dist/domain/vectors.js'
import { SpeechError } from '../../../dist/domain/speech-error.js'
import { decode } from '../../support/native.ts'
import { AUDIO } from '../../support/paths.ts'
import { NEVER } from '../../support/never.ts'
import { unpackObservation } from '../../support/speaker-observation.ts'

const pool = createSpeakerPool()
t.after(async () => { await pool.close() })
const engine = createSpeakerEngine({ pool })
const directory = mkdtempSync(join(tmpdir(), 'speakers-'))

/** Writes sound as the appliance stores it. */
function store (name: string, pcm: Float32Array): { path: string, endMs: number } {
  const path = join(directory, name)
  writeFileSync(path, Int16Array.from(pcm, (value) => Math.round(32_767 * value)))
  return { path, endMs: Math.ceil(pcm.length / 16) }
}

async function findTurns ({ path, endMs }: { path: string, endMs: number }, count = {}) {
  const pieces: Uint8Array[] = []
  for (let startMs = 0; startMs < endMs; startMs += engine.pieceMs) {
    pieces.push(await engine.observe({ path, startMs, endMs: Math.min(endMs, startMs + engine.pieceMs) }, NEVER))
  }
  return await engine.findTurns({ pieces, count }, NEVER)
}

t.test('two people who talk in turn are two voices', async (t) => {
  const turns = await findTurns(store('dialogue', decode(AUDIO + 'dialogue.mp3')))
  t.equal(new Set(turns.map(({ voice }) => voice)).size, 2)
  t.ok(turns.length >= 10, `${turns.length} turns`)
})

t.test('a voice print is the same, wherever the recording is cut', async (t) => {
  const sound = store('cut', decode(AUDIO + 'dialogue.mp3').subarray(0, 30 * 16_000))
  const observe = async (startMs: number, endMs: number) =>
    unpackObservation(await engine.observe({ ...sound, startMs, endMs }, NEVER)).windows
  const whole = new Map((await observe(0, 30_000)).map(({ centreMs, voice }) => [centreMs, voice]))
  const cut = [...await observe(0, 14_400), ...await observe(14_400, 30_000)]
  // A detector that begins later may hear a pause a little longer, so a few windows are in one only.
  const both = cut.filter(({ centreMs }) => whole.has(centreMs))
  t.ok(both.length > 0.9 * whole.size, `${both.length} of ${whole.size} windows`)
  const unlike = both.filter(({ centreMs, voice }) => dot(voice, whole.get(centreMs) ?? voice) < 0.999)
  t.strictSame(unlike.map(({ centreMs }) => centreMs), [])
})

t.test('one person is one voice', async (t) => {
  const turns = await findTurns(store('talk', decode(AUDIO + 'en-1.wav')))
  t.equal(new Set(turns.map(({ voice }) => voice)).size, 1)
})

t.test('silence has no turns', async (t) => {
  t.strictSame(await findTurns(store('silence', new Float32Array(32_000))), [])
})

t.test('a stopped piece rejects as aborted, a missing file as missing', async (t) => {
  const sound = store('stopped', decode(AUDIO + 'en-1.wav'))
  const abort = new AbortController()
  abort.abort()
  await t.rejects(engine.observe({ ...sound, startMs: 0 }, abort.signal), new SpeechError('aborted', 'stopped'))
  await t.rejects(engine.observe({ ...sound, path: join(directory, 'none'), startMs: 0 }, NEVER), { code: 'audio_missing' })
})
