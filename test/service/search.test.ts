/** Indexing and search over a real database and the bundled embedder. */
import t from 'tap'
import type { Test } from 'tap'
import { EmbeddingError } from '../../dist/domain/embedding.js'
import { createEmbedding } from '../../dist/engine/text/embedder.js'
import type { Embedder, Embedding } from '../../dist/engine/text/embedder.js'
import { createSearch } from '../../dist/service/search.js'
import { createLibrary } from '../../dist/store/library.js'
import { openSteps } from '../support/steps.ts'
import { nameOf } from '../support/store.ts'

const NO_ABORT = new AbortController().signal
const HOUR = 3_600_000

let embedding: Embedding
t.before(() => { embedding = createEmbedding() })
t.after(async () => { await embedding.close() })

function theEmbedder (): Embedder {
  const embedder = embedding.current()
  if (!embedder) throw new Error('the bundled model is missing')
  return embedder
}

/** Words of half a second each. */
function segmentOf (text: string, startMs = 0, speaker?: string) {
  const words = (text.match(/\s*\S+/g) ?? []).map((word, index) => ({
    text: index === 0 ? ` ${word}` : word, startMs: startMs + 500 * index, endMs: startMs + 500 * (index + 1), probability: 1,
    ...(speaker === undefined ? {} : { speaker })
  }))
  return { startMs, endMs: words.at(-1)?.endMs ?? startMs, text: words.map((word) => word.text).join(''), words }
}

/** `given`: the embedder, null for none. */
async function openLibrary (t: Test, given: Embedder | null = theEmbedder()) {
  const embedder = given ?? undefined
  const steps = await openSteps(t, embedder ? { embedder, now: 10 * HOUR } : { now: 10 * HOUR })
  const library = createLibrary(steps.db)
  const log = { info () {}, warn () {}, error () {} }
  const search = createSearch({
    library: { listModels: async () => library.listModels(), find: async (query) => library.find(query) },
    embedderOf: (id) => embedder?.model.id === id ? embedder : undefined,
    jobs: steps.jobs,
    log
  })
  const ownerOf = (name: string): number => steps.apiKeys.ensureOwner(name, 0)
  /** A completed transcription. */
  async function add (owner: string, fileName: string, ...texts: string[]): Promise<number> {
    const id = steps.addDecodedJob(owner, 1, { fileName: nameOf(fileName) })
    const claim = steps.claimWindow()
    if (!claim) throw new Error('no window')
    steps.inTransaction(() => {
      steps.jobs.setDecoded(id, 60_000, 0)
      steps.transcripts.insertWindow(id, 0, texts.map((text, index) => segmentOf(text, 20_000 * index)))
      steps.finishWindow(claim)
      steps.stages.transcribed(claim)
    })
    await steps.completeAll()
    return id
  }
  return {
    ...steps, add, search, ownerOf,
    find: async (owner: string, query: string, more = {}) => await search.search(ownerOf(owner), { query, minScore: 0, ...more }),
    indexAll: async (): Promise<number> => {
      let count = 0
      for (let claim = steps.indexing.claim(); claim; claim = steps.indexing.claim()) {
        await steps.indexing.index(claim, NO_ABORT)
        count++
      }
      return count
    }
  }
}

const BOARD = 'After a long debate, the directors agreed to the spending plan for the next year. ' +
  'They also moved the meeting of March to the harbour office. Mister Kowalczyk will write the minutes.'
const CAT = 'A cat slept on the warm roof of the car. It rained in the evening. Nobody saw the animal leave.'

t.test('the time is that of the sentence that answers, though it has no word of the query', async (t) => {
  const { add, find } = await openLibrary(t)
  await add('a', 'office.mp3', 'The coffee machine on the second floor is broken again. Somebody stole my bicycle last night. It is cold.')
  const [thief] = await find('a', 'Who was the victim of a theft?')
  t.equal(thief?.timestampMs, 5000)
  const [name] = await find('a', 'theft near the coffee machine')
  t.equal(name?.timestampMs, 0, 'words that are there decide')
})

t.test('a transcription is found by meaning, by a name, and by a number', async (t) => {
  const { add, find, jobs } = await openLibrary(t)
  const board = await add('a', 'board.mp3', BOARD, 'The invoice has the number 48213 and is due on Friday.')
  await add('a', 'cat.mp3', CAT)
  t.equal(jobs.find(board)?.status, 'completed')
  const [byMeaning, other] = await find('a', 'Was the budget approved?')
  t.match(byMeaning, { transcriptionId: board, title: 'board.mp3', timestampMs: 0 })
  t.ok((byMeaning?.score ?? 0) > (other?.score ?? 0))
  const [byName] = await find('a', 'kowalczyk')
  t.match(byName, { transcriptionId: board, sourceUrl: undefined })
  t.equal(byName?.timestampMs, 13_000, 'the start of the sentence with the name')
  t.strictSame(byName?.highlights.map(({ start, end }) => byName.snippet.slice(start, end)), ['Kowalczyk'])
  t.match((await find('a', '48213'))[0], { transcriptionId: board, timestampMs: 20_000 })
})

t.test('a single word finds the transcriptions that have it, with the default score', async (t) => {
  const { add, find } = await openLibrary(t)
  const speech = 'And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country.'
  const first = await add('a', 'speech.wav', speech)
  const search = async (): Promise<number[]> =>
    (await find('a', 'country', { minScore: 0.7 })).map(({ transcriptionId }) => transcriptionId).sort()
  t.strictSame(await search(), [first], 'alone in the library')
  const others = [await add('a', 'two.wav', speech), await add('a', 'three.wav', speech), await add('a', 'four.wav', speech)]
  await add('a', 'cat.mp3', CAT)
  t.strictSame(await search(), [first, ...others])
})

t.test('one result for each transcription, in the order of the scores, not more than wanted', async (t) => {
  const { add, find } = await openLibrary(t)
  for (let n = 0; n < 4; n++) await add('a', `cat-${n}.mp3`, ...Array.from({ length: 12 }, (_, i) => `${CAT} Part ${i} of tape ${n}.`))
  const hits = await find('a', 'a sleeping cat')
  t.strictSame(hits.map(({ transcriptionId }) => transcriptionId).sort(), [1, 2, 3, 4])
  t.strictSame(hits.map(({ score }) => score), hits.map(({ score }) => score).sort((a, b) => b - a))
  t.equal((await find('a', 'a sleeping cat', { limit: 2 })).length, 2)
  t.strictSame(await find('a', 'quantum chromodynamics', { minScore: 0.7 }), [])
})

t.test('nothing of another owner is found', async (t) => {
  const { add, find } = await openLibrary(t)
  await add('a', 'cat.mp3', CAT)
  await add('b', 'board.mp3', BOARD)
  t.strictSame((await find('b', 'a cat on the roof')).map(({ title }) => title), ['board.mp3'])
  t.strictSame(await find('c', 'a cat on the roof'), [])
})

t.test('what is deleted or changed is not found any more', async (t) => {
  const { add, db, find, indexAll, indexing, jobs, transcripts } = await openLibrary(t)
  const board = await add('a', 'board.mp3', BOARD)
  const cat = await add('a', 'cat.mp3', CAT)
  await find('a', 'cat')
  jobs.remove(cat)
  t.strictSame((await find('a', 'a cat on the roof')).map(({ title }) => title), ['board.mp3'])
  transcripts.removeFrom(board, 0)
  transcripts.insertWindow(board, 0, [segmentOf('Whales sing in the deep sea.')])
  indexing.refresh(board)
  t.equal(await indexAll(), 1)
  t.match(await find('a', 'kowalczyk', { minScore: 0.7 }), [])
  t.match((await find('a', 'songs of whales'))[0], { transcriptionId: board, snippet: 'Whales sing in the deep sea.' })
  jobs.remove(board)
  for (const table of ['passage', 'passage_vector', 'passage_terms', 'job_index']) {
    t.same(db.prepare(`SELECT count(*) AS n FROM ${table}`).get(), { n: 0 }, `nothing is left in ${table}`)
  }
})

t.test('a job whose vectors fail is completed, found by words, and indexed again later', async (t) => {
  let isBroken = true
  const good = theEmbedder()
  const flaky: Embedder = {
    ...good,
    embed: async (...asked) => {
      if (isBroken) throw new EmbeddingError('out_of_memory', 'too little')
      return await good.embed(...asked)
    }
  }
  const { add, clock, find, indexAll, indexing, jobs, passages } = await openLibrary(t, flaky)
  const board = await add('a', 'board.mp3', BOARD)
  t.equal(jobs.find(board)?.status, 'completed')
  t.match(passages.findIndex(board), { model: undefined, fault: 'out_of_memory' })
  t.match((await find('a', 'Kowalczyk', { minScore: 0.7 }))[0], { transcriptionId: board })
  isBroken = false
  indexing.sweep()
  t.equal(await indexAll(), 0, 'not at once')
  clock.advance(2 * HOUR)
  indexing.sweep()
  t.equal(await indexAll(), 1)
  t.match(passages.findIndex(board), { model: good.model.id, fault: undefined })
  t.ok((await find('a', 'Was the budget approved?'))[0])
  clock.advance(2 * HOUR)
  indexing.sweep()
  t.equal(await indexAll(), 0, 'a good index is left alone')
})

t.test('without a model, transcripts are found by their words', async (t) => {
  const { add, find } = await openLibrary(t, null)
  const board = await add('a', 'board.mp3', BOARD)
  t.match((await find('a', 'minutes by Kowalczyk', { minScore: 0.7 }))[0], { transcriptionId: board })
})

t.test('words that every text has are no evidence, however small the library', async (t) => {
  for (const embedder of [theEmbedder(), null]) {
    const { add, find } = await openLibrary(t, embedder)
    const id = await add('a', 'board.mp3', BOARD, 'The board talked about the war and the weather of the year.')
    for (const query of ['the of and', 'of the', 'what is it about']) {
      const [found] = await find('a', query, { minScore: 0 })
      t.equal(found?.transcriptionId, id)
      t.ok((found?.score ?? 1) < 0.5, `${query}: ${found?.score}`)
    }
    t.match(await find('a', 'the war', { minScore: 0.7 }), [{ transcriptionId: id }], 'a stop word of German is none here')
  }
})

t.test('another model indexes the library again, while both are searched', async (t) => {
  const old = theEmbedder()
  let current: Embedder = old
  const embedder: Embedder = {
    get model () { return current.model }, countTokens: old.countTokens, embed: old.embed
  }
  const { add, clock, find, indexing, passages } = await openLibrary(t, embedder)
  const ids = [await add('a', 'board.mp3', BOARD), await add('a', 'cat.mp3', CAT)]
  current = { ...old, model: { ...old.model, id: 'another' } }
  clock.advance(2 * HOUR)
  indexing.sweep()
  const first = indexing.claim()
  t.ok(first, 'something is indexed again')
  if (first) await indexing.index(first, NO_ABORT)
  t.strictSame(ids.map((id) => passages.findIndex(id)?.model).sort(), [old.model.id, 'another'].sort())
  t.equal((await find('a', 'kowalczyk')).length > 0, true)
})

t.test('hostile queries find something or nothing, and break nothing', async (t) => {
  const { add, find } = await openLibrary(t)
  await add('a', 'board.mp3', BOARD)
  await add('a', 'tokyo.mp3', '東京で会議がありました。')
  for (const query of [
    '"', '\'', '" OR "1"="1', '\'; DROP TABLE passage; --', 'NEAR(a b, 3)', 'terms:board', '*', '^a', 'a AND NOT', '(', '\u0000', '\ud800',
    '😀', 'the of and', 'x'.repeat(10_000), 'word '.repeat(2000), '"'.repeat(10_000), 'ελληνικά', 'हिन्दी', '-board', '{}', '%'
  ]) {
    t.ok(Array.isArray(await find('a', query)), JSON.stringify(query.slice(0, 20)))
  }
  for (const query of ['', '  \n']) await t.rejects(find('a', query), { code: 'invalid_request' })
  const [tokyo] = await find('a', '東京')
  t.equal(tokyo?.title, 'tokyo.mp3')
  t.strictSame(tokyo?.highlights.map(({ start, end }) => tokyo.snippet.slice(start, end)), ['東京'])
})

t.test('filters leave out other languages, times, sources and speakers', async (t) => {
  const { add, db, find, ownerOf } = await openLibrary(t)
  const english = await add('a', 'cat.mp3', CAT)
  const german = await add('a', 'katze.mp3', 'Die cat schlief auf dem Dach.')
  db.prepare('UPDATE job SET options = \'{"sttQuality":"fast","language":"de"}\', created_at = 5000 WHERE id = ?').run(german)
  db.prepare('UPDATE passage SET speakers = \'["Ann"]\' WHERE job_id = ?').run(german)
  db.prepare('INSERT INTO speaker (job_id, number, name, talk_ms) VALUES (?, 1, \'Ann\', 0)').run(german)
  const ids = async (filter: object): Promise<number[]> =>
    (await find('a', 'cat', { filter })).map(({ transcriptionId }) => transcriptionId)
  t.strictSame((await ids({})).sort(), [english, german])
  t.strictSame(await ids({ language: 'German' }), [german])
  t.strictSame(await ids({ fromAt: 5000 }), [german])
  t.strictSame(await ids({ beforeAt: 5000 }), [english])
  t.strictSame(await ids({ speaker: 'Ann' }), [german])
  t.strictSame(await ids({ sourceUrl: 'https://example.com/' }), [])
  t.ok(ownerOf('a'))
  await t.rejects(ids({ language: 'Klingon' }), { code: 'invalid_request' })
})

t.test('a speaker who is renamed is found by the new name', async (t) => {
  const { add, find, indexAll, ...steps } = await openLibrary(t)
  const id = await add('a', 'cat.mp3', CAT)
  const segment = segmentOf(CAT, 0, 'Speaker 1')
  steps.db.prepare('UPDATE segment SET speaker = ?, words = ? WHERE job_id = ?').run(
    'Speaker 1', JSON.stringify(segment.words.map(({ text, startMs, endMs }) => [text, startMs, endMs, 1, 'Speaker 1'])), id
  )
  const ids = async (speaker: string): Promise<number[]> =>
    (await find('a', 'cat', { filter: { speaker } })).map(({ transcriptionId }) => transcriptionId)
  async function name (given?: string): Promise<void> {
    steps.inTransaction(() => {
      steps.speakers.replace(id, [{ number: 1, talkMs: 1, ...(given === undefined ? {} : { name: given }) }])
      steps.indexing.refresh(id)
    })
    await indexAll()
  }
  await name()
  t.strictSame(await ids('Speaker 1'), [id])
  await name('Ann')
  t.strictSame([await ids('Ann'), await ids('Speaker 1'), await ids('Bob')], [[id], [], []])
})

t.test('a query waits for one query of another owner at most', async (t) => {
  const order: string[] = []
  let last = Promise.resolve()
  const model = { id: 'one', dimensions: 1, maxTokens: 1 }
  /** One thread: queries are done in the order in which they come. */
  const embed = async ([text = '']: readonly string[]): Promise<Float32Array[]> => {
    last = last.then(() => { order.push(text) })
    await last
    return []
  }
  const search = createSearch({
    library: {
      listModels: async () => ['one'],
      find: async () => ({ candidates: [], byWords: [], byMeaning: [], rarities: new Map(), missing: new Set() })
    },
    embedderOf: () => ({ model, embed, countTokens: async () => [] }),
    jobs: { findOwned: () => undefined },
    log: { info () {}, warn () {}, error () {} }
  })
  const asked = ['a1', 'a2', 'a3', 'a4'].map(async (query) => await search.search(1, { query }))
  await Promise.all([...asked, search.search(2, { query: 'b1' })])
  t.strictSame(order.slice(0, 2), ['a1', 'b1'])
  t.equal(order.length, 5)
})
