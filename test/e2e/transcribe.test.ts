/** The program as its user meets it: upload, poll, read; and the command line. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { countWordErrors } from '../../dist/evaluate/text/wer.js'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

type Word = { word: string, start: number, end: number, probability: number }
type Document = {
  transcriptionId: number
  language: string
  durationSeconds: number
  segments: Array<{ id: number, start: number, end: number, text: string, words: Word[] }>
}
type Reference = { language: string, duration: number }

const reference = (name: string): string => readFileSync(`${AUDIO}${name}.txt`, 'utf8')
const facts = (name: string): Reference => JSON.parse(readFileSync(`${AUDIO}${name}.json`, 'utf8')) as Reference

function wer (name: string, text: string): number {
  const { words, substitutions, deletions, insertions } = countWordErrors(reference(name), text)
  return (substitutions + deletions + insertions) / Math.max(1, words)
}

t.test('a recording uploaded in parts becomes its words, with times and probabilities', async (t) => {
  const server = await startServer(t.testdir())
  t.teardown(server.stop)
  t.match(server.firstKey, /^service_sk_[\w-]{43}$/, 'the first start prints a key')
  const client = createClient(server.address, server.firstKey ?? '')
  const id = await client.uploadFile(AUDIO + 'dialogue.mp3', { fileType: 'audio/mpeg' })
  const job = await client.ended(id)
  t.match(job, { id, status: 'completed', progress: 100, failure: null })
  t.ok(wer('dialogue', job.transcriptText ?? '') < 0.2, 'the words are those that were said')

  const { body: { data } } = await client.request<Record<string, unknown>>('GET', `/api/v1/transcriptions/${id}`)
  t.match(data, {
    id,
    status: 'completed',
    language: 'en',
    fileName: 'dialogue.mp3',
    text: job.transcriptText,
    transcriptText: job.transcriptText
  })
  t.ok(Math.abs(Number(data['duration']) - facts('dialogue').duration) < 0.3)
  t.equal(data['duration'], data['durationSeconds'])

  const headers = { authorization: `Bearer ${server.firstKey}` }
  const txt = await fetch(`${server.address}/api/v1/transcriptions/${id}/export?format=txt`, { headers })
  t.match(txt.headers.get('content-type'), /^text\/plain/)
  t.equal((await txt.text()).trim().replaceAll('\n\n', ' '), job.transcriptText)
  const json = await fetch(`${server.address}/api/v1/transcriptions/${id}/export?format=json`, { headers })
  t.match(json.headers.get('content-type'), /^application\/json/)
  checkDocument(t, await json.json() as Document, id, job.transcriptText ?? '')
})

function checkDocument (t: Test, document: Document, id: number, text: string): void {
  t.match(document, { transcriptionId: id, language: 'en' })
  t.ok(document.segments.length > 5)
  t.equal(document.segments.map((segment) => segment.text).join('').trim(), text)
  let last = 0
  for (const segment of document.segments) {
    if (segment.text !== segment.words.map(({ word }) => word).join('')) t.fail(`segment ${segment.id} is not its words joined`)
    for (const word of segment.words) {
      if (word.start < last || word.end < word.start || word.start < segment.start || word.end > segment.end) {
        t.fail(`times of "${word.word}" are out of order`)
      }
      if (word.probability < 0 || word.probability > 1) t.fail(`probability of "${word.word}"`)
      last = word.end
    }
  }
  t.ok(last <= document.durationSeconds, 'no word after the end')
}

t.test('every container and language of the fixtures, four at once', async (t) => {
  const server = await startServer(t.testdir())
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const limits: Record<string, number> = {
    'en-1.wav': 0.15,
    'en-2.flac': 0.15,
    'en-3.mp3': 0.15,
    'de-1.m4a': 0.15,
    'es-1.ogg': 0.4,
    'video.mp4': 0.1
  }
  await Promise.all(Object.entries(limits).map(async ([file, limit]) => {
    const name = file.split('.')[0] ?? ''
    const id = await client.uploadFile(AUDIO + file)
    const job = await client.ended(id)
    t.ok(wer(name, job.transcriptText ?? '') <= limit, `${file}: ${job.transcriptText ?? job.status}`)
    const { body: { data } } = await client.request<{ language: string }>('GET', `/api/v1/transcriptions/${id}`)
    t.equal(data.language, facts(name).language, `${file}: language`)
  }))
})

t.test('a clip does not wait for a long file of any owner', async (t) => {
  const dataDir = t.testdir()
  execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '5', '-i', AUDIO + 'talk.mp3', '-c', 'copy', dataDir + '/half-an-hour.mp3'])
  const server = await startServer(dataDir)
  t.teardown(server.stop)
  const mine = createClient(server.address, server.firstKey ?? '')
  const theirs = createClient(
    server.address,
    (await runCommand(dataDir, ['keys', 'create', '--name', 'clips', '--owner', 'somebody else'])).stdout.trim()
  )
  const long = await mine.uploadFile(dataDir + '/half-an-hour.mp3', { language: 'en' })
  await waitFor('the first window', async () => (await mine.job(long)).progress > 0)
  for (const client of [mine, theirs]) {
    const clip = await client.ended(await client.uploadFile(AUDIO + 'en-3.mp3', { language: 'en' }))
    const { status, progress } = await mine.job(long)
    t.match([clip.status, status], ['completed', 'processing'])
    t.ok(progress > 0 && progress < 50, `the long file is at ${progress} %`)
  }
})

t.test('the command line writes the transcript, and only that, to stdout', async (t) => {
  const dataDir = t.testdir()
  const { code, stdout, stderr } = await runCommand(dataDir, ['transcribe', AUDIO + 'en-3.mp3', '--language', 'english'])
  t.equal(code, 0, stderr)
  t.ok(wer('en-3', stdout) < 0.15, stdout)
  t.equal(stderr, '', 'nothing else on a pipe')
  const json = await runCommand(dataDir, [
    'transcribe',
    AUDIO + 'en-3.mp3',
    '--format',
    'json',
    '--quality',
    'fast',
    '-o',
    dataDir + '/out.json'
  ])
  t.match([json.code, json.stdout], [0, ''])
  t.match(JSON.parse(readFileSync(dataDir + '/out.json', 'utf8')), { transcriptionId: 2, language: 'en' })
})

t.test('the command line uses the data directory of a running server, which does the work', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  t.teardown(server.stop)
  const { code, stdout } = await runCommand(dataDir, ['transcribe', AUDIO + 'en-1.wav'])
  t.equal(code, 0)
  t.ok(wer('en-1', stdout) < 0.15)
  const client = createClient(server.address, server.firstKey ?? '')
  t.match(await client.job(1), { status: 'completed' }, 'and the transcript is in the library')
  t.match(server.log(), /"jobId":1,"msg":"transcription completed"/)
})

t.test('the command line says what is wrong', async (t) => {
  const dataDir = t.testdir({ 'not-media.mp3': 'these are words, not sound' })
  const missing = await runCommand(dataDir, ['transcribe', dataDir + '/nothing.mp3'])
  t.match(missing, { code: 1, stdout: '', stderr: /there is no file/ })
  const wrong = await runCommand(dataDir, ['transcribe', dataDir + '/not-media.mp3'])
  t.match(wrong, { code: 1, stdout: '', stderr: /unsupported_media: The file is not audio or video/ })
  const language = await runCommand(dataDir, ['transcribe', dataDir + '/not-media.mp3', '--language', 'klingon'])
  t.match(language, { code: 1, stdout: '', stderr: /language: not a language/ })
  const config = await runCommand(dataDir, ['doctor'], { STENOBOX_PORT: 'x', STENOBOX_WORKERS: '0' })
  t.match(config, { code: 1, stderr: /STENOBOX_PORT: must be[^]*STENOBOX_WORKERS: must be/ })
})

t.test('a model file that cannot be loaded is passed over, and the jobs go on', async (t) => {
  const { quality } = JSON.parse(readFileSync('models/manifest.json', 'utf8')) as { quality: object }
  const models = [
    { name: 'base', kind: 'whisper', file: 'ggml-base.bin', licence: 'MIT' },
    { name: 'starter', kind: 'whisper', file: 'starter/ggml-starter-q5_0.bin', licence: 'MIT', bundled: true }
  ]
  const dataDir = t.testdir({
    models: { 'ggml-base.bin': Buffer.alloc(100_000), 'manifest.json': JSON.stringify({ version: 1, quality, models }) }
  })
  const server = await startServer(dataDir, { STENOBOX_MODELS_DIR: dataDir + '/models' })
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  t.match(await client.ended(await client.uploadFile(AUDIO + 'en-1.wav')), { status: 'completed', transcriptText: /meeting/ })
  t.match(await client.request('GET', '/readyz'), { status: 200 })
})

t.test('doctor finds everything in order, and exits 1 when the model is damaged', async (t) => {
  const dataDir = t.testdir({ models: { 'ggml-base.bin': 'not a model' } })
  const fine = await runCommand(dataDir, ['doctor'])
  t.match(fine, { code: 0, stdout: /ok {4}speech library: whisper\.cpp 1\.\d+/ })
  const wantsGpu = await runCommand(dataDir, ['doctor'], { STENOBOX_GPU: 'cuda' })
  t.match(wantsGpu, { code: 0, stdout: /STENOBOX_GPU=cuda, but the speech library was built without it .* the CPU is used/ })
  t.match(fine.stdout, /Only the starter model can be used/)
  const damaged = await runCommand(dataDir, ['doctor'], { STENOBOX_MODELS_DIR: dataDir + '/models' })
  t.match(damaged, { code: 1, stdout: /FAIL {2}model base: ggml-base\.bin does not have its published size/ })
})
