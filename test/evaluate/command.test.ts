/** The evaluation as a person runs it: another process, the real appliance, the starter model. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findSclite } from '../../dist/evaluate/sclite.js'
import type { EngineScore, ExportedScore } from '../../dist/evaluate/speaker-scores.js'
import { errorRate } from '../../dist/evaluate/speakers/der.js'
import { AUDIO, CLI, NO_MODELS } from '../support/paths.ts'
import { silence } from '../support/sound.ts'
import { encodeWav } from '../../dist/evaluate/sounds/synthesis.js'

async function evaluate (args: readonly string[]): Promise<{ code: number | null, stdout: string, stderr: string }> {
  const child = spawn(process.execPath, [CLI, 'evaluate', ...args], {
    env: { PATH: process.env['PATH'], STENOBOX_MODELS_DIR: NO_MODELS }, stdio: ['ignore', 'pipe', 'pipe']
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => { output.stdout += chunk })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { output.stderr += chunk })
  const [code] = await once(child, 'close') as [number | null]
  return { code, ...output }
}

t.test('bad recordings are named and the others are still evaluated', async (t) => {
  const folder = t.testdir({
    'broken.wav': 'RIFF, and then nothing of the kind', 'broken.txt': 'never heard', 'empty.mp3': '',
    'silence.txt': '', 'en-1.json': '{"sentences": 5}', 'readme.md': 'not a recording'
  })
  for (const file of ['en-1.wav', 'en-1.txt', 'es-1.ogg', 'es-1.txt', 'es-1.json', 'en-3.mp3']) {
    copyFileSync(AUDIO + file, join(folder, file))
  }
  writeFileSync(join(folder, 'silence.wav'), encodeWav([Float32Array.from(silence(2))], 16000))
  const json = join(folder, 'figures.json')
  const { code, stdout, stderr } = await evaluate([folder, '--json', json, '--language', 'reference', '--quality', 'fast'])
  t.equal(code, 1, 'recordings failed')
  t.match(stdout, '| broken.wav | - | failed: unsupported_media |')
  t.match(stdout, '| empty.mp3 | - | failed: not_accepted |')
  t.match(stdout, /\| en-1\.wav \| 16 words \| \d+\.\d % /)
  t.match(stdout, /\| en-3\.mp3 \| - \| \d+ heard \| - \|.* \d\.\d{3} \|/, 'without a reference there is still a speed')
  t.match(stdout, /\| es-1\.ogg \| 2 \| [12] \|/, 'times')
  t.match(stdout, /\| silence\.wav \| 2\.0 s \| 0 \| 0\.0 \| \d\.\d{3} \| {2}\|/)
  t.match(stdout, '| recordings | 6, 2 failed, ')
  t.match(stdout, findSclite() ? '| WER by sclite |' : 'sclite is not installed')
  t.match(stderr, /en-1\.wav: its JSON is not used: sentences is not a list/)
  t.match(stderr, /en-3\.mp3 has no reference text/)
  const figures = readFileSync(json, 'utf8')
  t.match(JSON.parse(figures), {
    header: { model: 'starter', quality: 'fast', language: 'reference' }, totals: { recordings: 6, failed: 2 }, language: 'given'
  })
  t.notMatch(figures, folder, 'nothing says where the recordings lie')
})

t.test('speakers are those of the words that users get, counted with the reference of the recording', async (t) => {
  const folder = t.testdir({})
  for (const file of ['dialogue.mp3', 'dialogue.txt', 'dialogue.json']) copyFileSync(AUDIO + file, join(folder, file))
  const json = join(folder, '..', 'figures.json')
  t.teardown(() => { rmSync(json) })
  const { code, stdout } = await evaluate([folder, '--json', json])
  t.equal(code, 0)
  t.match(stdout, /## Speakers of the words in the JSON export/)
  t.match(stdout, /## Turns of the speaker engine alone/)
  const { speakers: [exported], speakerEngine: [alone] } = JSON.parse(readFileSync(json, 'utf8')) as {
    speakers: ExportedScore[], speakerEngine: EngineScore[]
  }
  t.match(exported, { name: 'dialogue.mp3', said: 2, heard: 2, words: { by: 'text' } })
  t.ok((exported?.words.words ?? 0) > 150)
  t.ok((exported?.words.wrong ?? NaN) <= 5, `${exported?.words.wrong} words have the wrong speaker`)
  for (const score of [exported, alone]) {
    const rates = score?.errors.map(errorRate) ?? []
    t.equal(rates.length, 4)
    t.ok(rates.every((rate) => rate > 0 && rate < 0.3), rates.join(' '))
  }
})

t.test('without input it says what is missing and exits with 2', async (t) => {
  const none = await evaluate([t.testdir({ 'notes.md': '' })])
  t.equal(none.code, 2)
  t.match(none.stderr, /there are no recordings/)
  const nowhere = await evaluate([join(t.testdirName, 'nowhere')])
  t.equal(nowhere.code, 2)
  t.match(nowhere.stderr, /there is no folder/)
  const nothing = await evaluate([])
  t.equal(nothing.code, 2)
  t.match(nothing.stderr, /Usage/)
  const help = await evaluate(['--help'])
  t.equal(help.code, 0)
  t.match(help.stdout, /--synthesise DIR/)
  const rival = await evaluate([AUDIO, '--against', 'faster-whisper'])
  t.equal(rival.code, 2)
  t.match(rival.stderr, /needs --faster-whisper-model DIR/)
})
