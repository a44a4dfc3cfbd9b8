/** faster-whisper as a rival, by a program that speaks as `faster-whisper.py` does: the tests run no Python. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { startFasterWhisper } from '../../dist/evaluate/faster-whisper.js'
import type { FasterWhisper, Missing } from '../../dist/evaluate/faster-whisper.js'
import { startRivals, stopAll } from '../../dist/evaluate/rivals.js'
import { AUDIO, CLI, NO_MODELS } from '../support/paths.ts'

const HELLO = '{"fasterWhisper":"1.2.3","ctranslate2":"4.5.6","loadSeconds":0.5}'
const ECHO = `
  import { createInterface } from 'node:readline'
  console.log('${HELLO}')
  const [script, ...options] = process.argv.slice(2)
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { path, language } = JSON.parse(line)
    if (path.endsWith('bad.wav')) return console.log(JSON.stringify({ failure: 'it is bad' }))
    if (path.endsWith('fatal.wav')) { console.error('out of luck'); process.exit(9) }
    const text = path.endsWith('en-1.wav') ? 'Hello there.' : [script.split('/').at(-1), ...options, language].join(' ')
    console.log(JSON.stringify({ text, language: 'en' }))
  })`

function writePython (t: Test, body: string, folder = t.testdir()): string {
  const path = join(folder, 'python')
  writeFileSync(path + '.mjs', body)
  // Without what the test runner has Node load.
  writeFileSync(path, `#!/bin/sh\nunset NODE_OPTIONS\nexec '${process.execPath}' '${path}.mjs' "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

async function start (t: Test, python: string): Promise<FasterWhisper | Missing> {
  const started = await startFasterWhisper({ python, model: '/models/base', mode: 'batched', beamSize: 5, words: 'on' })
  if ('stop' in started) t.teardown(started.stop)
  return started
}

t.test('the rival is started once and asked file by file', async (t) => {
  const started = await start(t, writePython(t, ECHO)) as FasterWhisper
  t.match(started, { version: '1.2.3, ctranslate2 4.5.6', loadSeconds: 0.5 })
  t.match(
    await started.transcribe('/a.wav', 'auto'), { text: /^faster-whisper\.py \/models\/base batched 5 \d+ on $/ }, 'no language is null'
  )
  t.match(await started.transcribe('/a.wav', 'de'), { text: / on de$/ })
  t.strictSame(await started.transcribe('/bad.wav', 'auto'), { failure: 'it is bad' })
  t.match(await started.transcribe('/a.wav', 'de'), { text: / on de$/ }, 'and goes on')
})

t.test('a missing program or package is reported in one sentence', async (t) => {
  t.match(await start(t, join(t.testdir(), 'no-python')), { missing: /no-python cannot be run \(.*ENOENT/ })
  t.match(await start(t, writePython(t, 'console.log(JSON.stringify({ missing: "No module named \'faster_whisper\'" }))')), {
    missing: /python has no faster-whisper \(No module named 'faster_whisper'\)/
  })
})

t.test('a program that fails or says something else is an error', async (t) => {
  await t.rejects(start(t, writePython(t, 'console.error("no such model"); process.exit(1)')), /ended without an answer: no such model/)
  await t.rejects(start(t, writePython(t, 'console.log("Python 3")')), /not JSON: Python 3/)
})

t.test('without Python or the package the rival is left out, and the report says why', async (t) => {
  const start = (python: string) => startRivals({
    language: 'auto', against: ['faster-whisper'], fasterWhisper: {
      python, model: '/models/base', modes: ['plain', 'batched'], words: 'on'
    }
  }, { name: 'base', path: '/ggml-base.bin', beamSize: 5 }, { scratch: t.testdirName, log: () => {} })
  t.match(await start('/nowhere/python'), { rivals: [], notes: [/^faster-whisper is left out: \/nowhere\/python cannot be run/] })
  const without = writePython(t, 'console.log(JSON.stringify({ missing: "no module" }))')
  t.match(await start(without), { rivals: [], notes: [/^faster-whisper is left out: .*python has no faster-whisper \(no module\)\.$/] })
})

t.test('when the process ends, its recording and later ones fail; the evaluation continues', async (t) => {
  const lines: string[] = []
  const options = {
    language: 'auto',
    against: ['faster-whisper'],
    fasterWhisper: { python: writePython(t, ECHO), model: '/models/base', modes: ['plain'], words: 'off' }
  } as const
  const place = { scratch: t.testdirName, log: (line: string) => { lines.push(line) } }
  const { rivals: [rival], notes } = await startRivals(options, { name: 'base', path: '/ggml-base.bin', beamSize: 5 }, place)
  if (!rival) throw new Error('there is no rival')
  t.teardown(() => stopAll([rival]))
  t.match(notes, [/^faster-whisper 1\.2\.3.* int8, \d+ threads, word times off/])
  t.equal(rival.name, 'faster-whisper plain')
  t.match(await rival.transcribe({ name: 'a.wav', path: '/a.wav' }), { wallMs: Number, text: / plain 5 \d+ off $/ })
  t.ok(rival.takePeak() > 1e6)
  t.strictSame(await rival.transcribe({ name: 'fatal.wav', path: '/fatal.wav' }), { failure: 'failed' })
  t.strictSame(await rival.transcribe({ name: 'a.wav', path: '/a.wav' }), { failure: 'failed' })
  t.ok(Number.isNaN(rival.takePeak()), 'what has ended has no memory')
  t.match(lines.slice(-2), [/fatal\.wav: .*out of luck/, /a\.wav: .*ended/])
})

t.test('an evaluation beside faster-whisper, apart, joined and in rounds', async (t) => {
  const folder = t.testdir({ recordings: { 'en-1.rttm': 'SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>' }, model: { 'model.bin': '' } })
  const recordings = join(folder, 'recordings')
  for (const file of ['en-1.wav', 'en-1.txt', 'en-2.flac', 'en-2.txt']) copyFileSync(AUDIO + file, join(recordings, file))
  const json = join(folder, 'figures.json')
  const options = ['--joined', '--differences', '--rounds', '1', '--quality', 'fast', '--json', json]
  const rival = ['--against', 'faster-whisper', '--faster-whisper-model', join(folder, 'model'), '--faster-whisper-mode', 'plain,vad']
  const child = spawn(process.execPath, [CLI, 'evaluate', recordings, ...options, ...rival], {
    env: { PATH: process.env['PATH'], STENOBOX_MODELS_DIR: NO_MODELS, STENOBOX_EVALUATE_PYTHON: writePython(t, ECHO, folder) },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => { stdout += chunk })
  const [code] = await once(child, 'close') as [number | null]
  t.equal(code, 0)
  t.match(stdout, /\| en-1\.wav \| 16 words \|.* en \| \d\.\d{3} \| 100\.0 % \| \d\.\d{3} \| 100\.0 % \| \d\.\d{3} \|/)
  t.match(stdout, '| en-1.wav | 1.00 s | ')
  t.match(stdout, '## 2 recordings joined, ')
  t.match(stdout, /\| 2 recordings at once \| faster-whisper plain \| \d+\.\d\d s \(\d+\.\d\d\) \| \d/)
  t.match(stdout, /\| 2 recordings joined \| Stenobox \| \d/)
  t.match(stdout, /\| en-1\.wav, joined \| faster-whisper vad \| .*→/)
  const rivals = { 'faster-whisper plain': { text: String }, 'faster-whisper vad': { text: String } }
  t.match(JSON.parse(readFileSync(json, 'utf8')), {
    efforts: [{ name: 'Stenobox' }, { name: 'faster-whisper plain', loadSeconds: 0.5 }, { name: 'faster-whisper vad' }],
    joined: { score: { errors: { words: 16 + 17 }, rivals } }
  })
})
