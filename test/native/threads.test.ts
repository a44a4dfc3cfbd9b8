/** The addon in several threads of one process. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import type { NativeTranscript } from '../../dist/native/addon.js'
import { addon, decode, GREEDY, openState, OPTIONS, RATE_HZ } from '../support/native.ts'
import { AUDIO, STARTER_MODEL } from '../support/paths.ts'

type Reply =
  | { kind: 'loaded', models: Array<{ path: string, handles: number }> }
  | { kind: 'progress', percent: number }
  | { kind: 'result', result: NativeTranscript }

/** Loads, says so, waits for audio, and transcribes it. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.module).then(({ loadAddon }) => {
    const addon = loadAddon()
    const model = addon.loadModel(workerData.path, { gpu: false })
    const state = model.createState()
    parentPort.on('message', ({ pcm, options }) => {
      addon.lowerThreadPriority(5)
      const onProgress = (percent) => parentPort.postMessage({ kind: 'progress', percent })
      parentPort.postMessage({ kind: 'result', result: state.transcribe(pcm, { ...options, onProgress }) })
    })
    parentPort.postMessage({ kind: 'loaded', models: addon.loadedModels() })
  })
`
const MODULE = new URL('../../dist/native/addon.js', import.meta.url).href

function startWorker (test: { teardown: (stop: () => unknown) => unknown }): Worker {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { module: MODULE, path: STARTER_MODEL } })
  test.teardown(() => worker.terminate())
  worker.setMaxListeners(0)
  return worker
}

async function reply<K extends Reply['kind']> (worker: Worker, kind: K): Promise<Extract<Reply, { kind: K }>> {
  for (;;) {
    const [message] = await once(worker, 'message') as [Reply]
    if (message.kind === kind) return message as Extract<Reply, { kind: K }>
  }
}

t.test('two threads share one copy of the weights and agree on the text', async (t) => {
  const pcm = decode(AUDIO + 'en-2.flac')
  const here = openState(t).transcribe(pcm, OPTIONS)
  const workers = [startWorker(t), startWorker(t)]
  const loaded = await Promise.all(workers.map((worker) => reply(worker, 'loaded')))
  t.same(loaded.map(({ models }) => models.length), [1, 1])
  t.match(addon.loadedModels(), [{ path: /ggml-starter-q5_0\.bin$/, handles: 2 }])
  const results = workers.map((worker) => reply(worker, 'result'))
  for (const worker of workers) worker.postMessage({ pcm, options: OPTIONS })
  for (const { result } of await Promise.all(results)) t.same(result, here)
  await Promise.all(workers.map((worker) => worker.terminate()))
  t.match(addon.loadedModels(), [{ handles: 0 }], 'a thread that ends gives its handles up')
})

t.test('a flag set by another thread ends a call before the recording is done', async (t) => {
  const worker = startWorker(t)
  await reply(worker, 'loaded')
  const talk = decode(AUDIO + 'talk.mp3')
  const abort = new Int32Array(new SharedArrayBuffer(4))
  const ended = reply(worker, 'result')
  worker.postMessage({ pcm: talk, options: { ...OPTIONS, abort } })
  for (let percent = 0; percent === 0;) percent = (await reply(worker, 'progress')).percent
  Atomics.store(abort, 0, 1)
  const { result } = await ended
  t.equal(result.aborted, true)
  t.ok(result.segments.length > 0, 'with what was finished')
})

t.test('a thread that is terminated in the middle of a call leaves nothing behind', async (t) => {
  const worker = startWorker(t)
  await reply(worker, 'loaded')
  worker.postMessage({ pcm: decode(AUDIO + 'talk.mp3').subarray(0, 60 * RATE_HZ), options: GREEDY })
  await reply(worker, 'progress')
  await worker.terminate()
  t.same(addon.loadedModels(), [])
})
