/** Vectors of texts, by the bundled model on its thread. */
import t from 'tap'
import { EmbeddingError } from '../../../dist/domain/embedding.js'
import { createEmbedders, createEmbeddingPool } from '../../../dist/engine/text/embedder.js'
import type { EmbeddingPool } from '../../../dist/engine/text/embedder.js'
import { STARTER_EMBEDDER } from '../../../dist/engine/text/embedding-models.js'

const TEXTS = [
  'The board approved the new budget after a long debate.',
  'A cat slept on the warm roof of the car.',
  'After much discussion, the directors agreed to the spending plan.',
  'Short.',
  `A long passage. ${'The committee met again on Tuesday to talk about the harbour and its cranes. '.repeat(8)}`
]

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

t.test('the bundled model', async (t) => {
  const pool = createEmbeddingPool()
  t.teardown(async () => { await pool.close() })
  const embedder = createEmbedders(pool).open(STARTER_EMBEDDER)
  const vectors = await embedder.embed(TEXTS, 'passage')
  const [budget, cat, plan] = vectors as [Float32Array, Float32Array, Float32Array]

  t.test('vectors have length 1, and similar texts have similar vectors', async (t) => {
    t.equal(embedder.model.dimensions, budget.length)
    for (const vector of vectors) t.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5)
    t.ok(dot(budget, plan) > 0.5, 'a paraphrase without shared words is near')
    t.ok(dot(budget, cat) < 0.2, 'another subject is far')
  })

  t.test('a vector depends on nothing but its text', async (t) => {
    for (const [i, text] of TEXTS.entries()) {
      const [alone] = await embedder.embed([text], 'passage')
      t.same(alone, vectors[i], 'alone as among others')
    }
    const [, again] = await Promise.all([embedder.embed(TEXTS, 'passage'), embedder.embed([TEXTS[1] ?? ''], 'query')])
    t.same(again, [cat], 'a query between passages')
  })

  t.test('text after the limit of tokens is ignored', async (t) => {
    const words = 'harbour '.repeat(embedder.model.maxTokens - 2)
    const [whole, more] = await embedder.embed([words, `${words} The cat slept.`], 'passage')
    t.same(await embedder.countTokens([words, 'The harbour.']), [embedder.model.maxTokens - 2, 3])
    t.ok(whole?.every((value, i) => value === more?.[i]), 'the same vector')
    t.equal((await embedder.embed([words.repeat(2000)], 'query'))[0]?.length, 384, 'a text of megabytes is no problem')
  })

  t.test('texts without a known letter have a vector as well', async (t) => {
    for (const vector of await embedder.embed(['', ' \n', '\u{1f600}', '漢字かな', '\ud800', 'ü'.repeat(10)], 'query')) {
      t.ok(vector.every(Number.isFinite))
    }
  })

  t.test('an abort stops what has not begun', async (t) => {
    const controller = new AbortController()
    const embedding = embedder.embed(TEXTS, 'passage', controller.signal)
    controller.abort()
    await t.rejects(embedding, { name: 'EmbeddingError', code: 'aborted' })
    t.equal((await embedder.embed(['next'], 'query')).length, 1, 'the thread goes on')
  })

  t.test('a missing model is an error that says which', async (t) => {
    const missing = createEmbedders(pool).open({ ...STARTER_EMBEDDER, folder: '/nowhere/at-all' })
    const error: unknown = await missing.embed(['text'], 'query').catch((error: unknown) => error)
    t.ok(error instanceof EmbeddingError && error.code === 'model_unavailable')
    t.match(error, { message: /nowhere\/at-all/ })
    t.equal((await embedder.embed(['next'], 'query')).length, 1, 'others still work')
  })
})

t.test('a waiting query goes ahead of waiting passages', async (t) => {
  const order: string[] = []
  const run = async (_: string, { text }: { text: string }) => {
    order.push(text)
    return { vector: new Float32Array(1) }
  }
  const pool = { run } as unknown as EmbeddingPool
  const embedder = createEmbedders(pool).open({ ...STARTER_EMBEDDER, prefixes: { query: 'q: ', passage: '' } })
  await Promise.all([embedder.embed(['a', 'b', 'c'], 'passage'), embedder.embed(['d'], 'passage'), embedder.embed(['x'], 'query')])
  t.same(order, ['a', 'q: x', 'd', 'b', 'c'])
})
