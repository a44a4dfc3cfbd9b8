import t from 'tap'
import { createModels } from '../../dist/engine/models/models.js'
import { createEmbedding } from '../../dist/engine/text/embedder.js'
import { checkLanguageModel } from '../../dist/service/language-model-check.js'
import { createEcho } from '../support/language-model.ts'

const { entries } = createModels(t.testdir({}))
const embedding = createEmbedding()
t.teardown(embedding.close)

/** The check on a machine whose language model reads and writes at once. */
async function check (name: string | undefined, changes: Partial<Parameters<typeof checkLanguageModel>[0]> = {}) {
  const entry = entries().find((one) => one.name === name)
  const chosen = entry && { entry, path: `/models/${entry.file}`, isStarter: false }
  return await checkLanguageModel({
    models: { entries, chooseLanguageModel: () => chosen },
    languageModel: createEcho('water ', 1024).resident,
    embedding,
    llmThreads: 1,
    wantsGpu: false,
    memoryBytes: 64 * 1024 ** 3,
    ...changes
  })
}

t.test('no model: the processor is measured, and the model that suits it named', async (t) => {
  const fast = await check(undefined, { llmThreads: 1_000_000 })
  t.match(fast, { ok: true, detail: /^none installed.*by its processor: npx stenobox models pull qwen3-4b \(reads about \d+ tokens/ })
  const small = await check(undefined, { memoryBytes: 0 })
  t.match(small, { ok: true, detail: /None of the recommended models fits this machine/ })
  t.match(await check(undefined, { embedding: { current: () => undefined } }), { ok: true, detail: /sentences of the transcript$/ })
})

t.test('an installed model: its speed, and another size where that suits the machine', async (t) => {
  const small = await check('qwen2.5-0.5b-instruct')
  t.match(small, { ok: true, detail: /^qwen2\.5-0\.5b-instruct on cpu: reads \d+ and writes \d+ tokens.*by this speed: .* pull qwen3-4b/ })
  t.notMatch((await check('qwen3-4b')).detail, /pull/, 'it is the one that suits')
  t.match(await check('qwen3-4b', { wantsGpu: true }), { ok: false, detail: /its library for the GPU or the device is missing/ })
})
