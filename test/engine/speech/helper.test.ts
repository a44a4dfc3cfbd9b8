/** The inference process: replaced when it is killed, hangs or has no memory. */
import { execFileSync } from 'node:child_process'
import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createInferenceHelper } from '../../../dist/engine/speech/helper.js'
import type { InferenceHelper } from '../../../dist/engine/speech/helper.js'
import type { TranscribeOutput } from '../../../dist/workers/protocol.js'
import { decode, OPTIONS } from '../../support/native.ts'
import { AUDIO, STARTER_MODEL } from '../../support/paths.ts'
import { childrenLeft } from '../../support/processes.ts'
import { waitFor } from '../../support/wait.ts'

const { language, prompt, terms, threads, minTailMs: _, ...decoding } = OPTIONS
const audioPath = t.testdir() + '/sound.pcm'
writeFileSync(audioPath, Int16Array.from(decode(AUDIO + 'en-1.wav'), (sample) => 32768 * sample))
const INPUT = {
  audioPath,
  spans: [{ startSample: 0, endSample: statSync(audioPath).size / 2 }],
  model: { path: STARTER_MODEL, kind: 'whisper' as const, gpu: false, alignmentHeads: undefined },
  threads, language, prior: [], languages: undefined, prompt, terms, decoding
}

/** A helper whose process has started, and why its processes ended. */
async function openHelper (t: Test, options: Partial<Parameters<typeof createInferenceHelper>[0]> = {}) {
  const crashes: string[] = []
  const helper = createInferenceHelper({ threads: { speech: 2, detector: 1 }, onCrash: (reason) => { crashes.push(reason) }, ...options })
  t.teardown(helper.close)
  await helper.speech.run('describe', null)
  return { helper, crashes }
}

const transcribe = async ({ speech }: InferenceHelper): Promise<TranscribeOutput> => await speech.run('transcribe', INPUT)
const signal = (helper: InferenceHelper, name: NodeJS.Signals): void => { process.kill(helper.pid() ?? 0, name) }

t.test('calls that run when the process ends are run again, one by one', async (t) => {
  const { helper, crashes } = await openHelper(t)
  const whole = await transcribe(helper)
  const both = Promise.all([transcribe(helper), transcribe(helper)])
  signal(helper, 'SIGKILL')
  const third = transcribe(helper)
  t.strictSame(await both, [whole, whole])
  t.strictSame(await third, whole)
  t.strictSame(crashes, ['it ended with SIGKILL'])
})

t.test('a call that runs alone when the process ends has ended it', async (t) => {
  const { helper } = await openHelper(t)
  const running = transcribe(helper)
  signal(helper, 'SIGKILL')
  await t.rejects(running, { code: 'worker_crashed', message: /SIGKILL/ })
  t.ok((await transcribe(helper)).segments.length > 0, 'the next call has a new process')
})

t.test('a process that hangs is replaced', async (t) => {
  const { helper, crashes } = await openHelper(t, { tickMs: 50, hangTicks: 200 })
  signal(helper, 'SIGSTOP')
  await t.rejects(transcribe(helper), { code: 'worker_crashed' })
  t.strictSame(crashes, ['a call did not compute any more'])
})

t.test('a call that hangs and is told to stop holds nobody up: it ends, and the others run again', async (t) => {
  const { helper, crashes } = await openHelper(t, { tickMs: 100, hangTicks: 600 })
  const abort = new AbortController()
  const stopped = t.rejects(helper.speech.run('transcribe', INPUT, abort.signal), { code: 'aborted' })
  const other = transcribe(helper)
  signal(helper, 'SIGSTOP')
  abort.abort()
  await stopped
  t.ok((await other).segments.length > 0)
  t.strictSame(crashes, ['a call did not compute any more'])
})

t.test('a call without memory fails, and the next one runs', async (t) => {
  const { helper } = await openHelper(t)
  const limit = (bytes: string): void => { execFileSync('prlimit', ['--pid', String(helper.pid()), `--as=${bytes}`]) }
  limit('1:unlimited')
  await t.rejects(transcribe(helper), { code: 'out_of_memory' })
  t.ok((await transcribe(helper)).segments.length > 0)
})

t.test('a call is stopped, also before it has begun', async (t) => {
  const { helper, crashes } = await openHelper(t)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const runs = helper.speech.run('transcribe', INPUT, running.signal)
  running.abort()
  await t.rejects(runs, { code: 'aborted' })
  const both = [transcribe(helper), transcribe(helper)]
  signal(helper, 'SIGKILL')
  await waitFor('the process to end', () => crashes.length > 0)
  const waits = helper.speech.run('transcribe', INPUT, waiting.signal)
  waiting.abort()
  await t.rejects(waits, { code: 'aborted' })
  t.equal((await Promise.all(both)).length, 2)
  await t.rejects(helper.speech.run('transcribe', INPUT, waiting.signal), { code: 'aborted' }, 'and a call stopped before it was made')
})

t.test('closing ends the process', async (t) => {
  const { helper } = await openHelper(t)
  await helper.close()
  await t.rejects(helper.speech.run('describe', null), { code: 'aborted' }, 'and later calls start none')
  t.strictSame(await childrenLeft(), [])
})

t.test('the helper knows which models are in memory: those it loaded, without those it freed for others', async (t) => {
  const { helper } = await openHelper(t, { threads: { speech: 1, detector: 1 } })
  t.strictSame(helper.heldModels(), [])
  // A thread holds three models at most.
  const folder = t.testdir()
  const paths = [1, 2, 3, 4].map((number) => `${folder}/${number}.bin`)
  for (const path of paths) symlinkSync(STARTER_MODEL, path)
  const [first = '', ...others] = paths
  const last = others.at(-1) ?? ''
  const load = async (path: string): Promise<void> => {
    await helper.speech.run('warmUp', { model: { ...INPUT.model, path } })
    await waitFor('the model', () => helper.heldModels().includes(path))
  }
  for (const path of paths) await load(path)
  await waitFor('the first one is freed', () => !helper.heldModels().includes(first))
  t.ok(helper.heldModels().includes(last))
  signal(helper, 'SIGKILL')
  await waitFor('the end of the process', () => helper.heldModels().length === 0)
  await load(first)
  t.strictSame(helper.heldModels(), [first], 'the next process holds what it loads')
})
