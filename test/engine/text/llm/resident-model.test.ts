import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { createLlmEngine } from '../../../../dist/engine/text/llm/engine.js'
import { numberFrom, object, string } from '../../../../dist/engine/text/llm/schema.js'
import { probeLanguageModel, tryLanguageModel } from '../../../../dist/engine/text/llm/trial.js'
import { countedSentences, createNonsense, speakTexts } from '../../../support/language-model.ts'

const never = new AbortController().signal
/** One program for all tests that leave it as it was: a start takes seconds. */
const { resident } = createNonsense(t)
const QUESTION = { system: 'Answer.', prompt: 'Which number?', schema: object({ number: numberFrom(1, 9) }), maxTokens: 50 }
/** More text than a model writes in minutes. */
const ENDLESS = { ...QUESTION, schema: object({ text: string(20_000, 30_000) }), maxTokens: 30_000 }

t.test('a model is loaded for the first call and stays for the next', async (t) => {
  const ask = async () => await resident.use(async ({ facts, answer }) => ({ facts, ...await answer(QUESTION) }), never)
  const first = await ask()
  t.match(first.facts, { architecture: 'llama', contextTokens: 2048, hasChatTemplate: true, device: 'cpu', licence: 'Apache-2.0' })
  t.match(JSON.parse(first.text), { number: Number })
  t.equal((await ask()).text, first.text, 'the same question has the same answer')
})

t.test('calls from several callers are answered one after the other', async (t) => {
  const order: string[] = []
  const work = async (name: string) => await resident.use(async ({ answer }) => {
    order.push(`${name} begins`)
    await answer(QUESTION)
    order.push(`${name} ends`)
  }, never)
  await Promise.all([work('a'), work('b'), work('c')])
  t.strictSame(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

t.test('an answer that never ends is given up at once, and the next call is answered', async (t) => {
  await resident.use(async ({ answer }) => await answer(QUESTION), never)
  const limit = new AbortController()
  const endless = resident.use(async ({ answer }) => {
    const running = answer(ENDLESS)
    setImmediate(() => { limit.abort() })
    return await running
  }, limit.signal)
  await t.rejects(endless, { name: 'ArtifactError', code: 'aborted' })
  t.match(JSON.parse((await resident.use(async ({ answer }) => await answer(QUESTION), never)).text), { number: Number })
})

t.test('a caller that gives up while the model is loaded leaves it for the next', async (t) => {
  const limit = new AbortController()
  const first = resident.use(async ({ answer }) => await answer(QUESTION), limit.signal)
  limit.abort()
  await t.rejects(first, { code: 'aborted' })
  await resident.use(async ({ answer }) => await answer(QUESTION), never)
  await t.rejects(resident.use(async ({ answer }) => await answer(QUESTION), limit.signal), { code: 'aborted' })
})

t.test('the engine keeps its time limit in the middle of an artifact', async (t) => {
  const limit = new AbortController()
  const engine = createLlmEngine({
    model: {
      use: async (work, signal) => await resident.use(async (model) => await work({
        ...model,
        answer: async (input) => {
          const running = model.answer(input)
          setImmediate(() => { limit.abort() })
          return await running
        }
      }), signal)
    }
  })
  await t.rejects(engine.create('blog', speakTexts(countedSentences(40)), limit.signal), { name: 'ArtifactError', code: 'aborted' })
})

t.test('when its memory is needed, the model goes at once, and comes back with the next call', async (t) => {
  const { path, resident } = createNonsense(t)
  const started = new EventTarget()
  const begun = once(started as never, 'begun')
  const running = resident.use(async ({ answer }) => {
    const endless = answer(ENDLESS)
    started.dispatchEvent(new Event('begun'))
    return await endless
  }, never)
  running.catch(() => {})
  await begun
  t.equal(resident.loadedPath(), path)
  await resident.free()
  t.equal(resident.loadedPath(), undefined)
  await t.rejects(running, { code: 'failed', message: /the program of the language model ended/ })
  await resident.use(async ({ answer }) => await answer(QUESTION), never)
  await resident.free()
  await resident.free()
})

t.test('no model, a file that is gone, and a model that is too big are refused before anything is loaded', async (t) => {
  const use = async (options: object) => {
    const { resident } = createNonsense(t, options)
    await resident.use(async () => {}, never)
  }
  await t.rejects(use({ find: () => undefined }), { code: 'unavailable', message: 'no language model is installed' })
  await t.rejects(use({ find: () => ({ path: '/nowhere/x.gguf' }) }), { code: 'unavailable', message: /is gone/ })
  await t.rejects(use({ availableBytes: () => 100 * 1024 ** 2 }), {
    code: 'unavailable', message: /^the language model needs about 70\d\.\d MiB of memory, and 100\.0 MiB are free; install a smaller one$/
  })
})

t.test('a broken and a truncated file are refused, and reported as unusable', async (t) => {
  const broken: string[] = []
  const { path, resident, write } = createNonsense(t, { onUnusable: (file: string) => { broken.push(file) } })
  const whole = readFileSync(path)
  const wrongHead = Buffer.from(whole)
  wrongHead.writeUInt32LE(0xffffffff, 8)
  const files = { truncated: whole.subarray(0, whole.length / 2), text: Buffer.from('GGUF, they said, and more of that'), wrongHead }
  for (const [name, bytes] of Object.entries(files)) {
    write(bytes)
    await t.rejects(resident.use(async () => {}, never), { code: 'unavailable', message: /^the language model cannot be loaded/ }, name)
  }
  t.equal(broken.length, Object.keys(files).length)
  write(whole)
  t.match(await probeLanguageModel(resident), { architecture: 'llama', readsPerSecond: Number, writesPerSecond: Number })
})

t.test('a trial says what a model is, or why it cannot be used', async (t) => {
  const { path, write } = createNonsense(t)
  t.match(await tryLanguageModel(path), { architecture: 'llama', licence: 'Apache-2.0' })
  write(Buffer.from('GGUF'))
  await t.rejects(tryLanguageModel(path), { name: 'ModelError', message: /^the model cannot be used: the language model cannot be loaded/ })
})
