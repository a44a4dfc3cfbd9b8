/** A new index is stored in slices. Searches find the old one until all of the new one is there, also when the process dies between. */
import t from 'tap'
import type { Test } from 'tap'
import type { Embedder } from '../../dist/engine/text/embedder.js'
import { createIndexing } from '../../dist/service/indexing.js'
import type { Indexing } from '../../dist/service/indexing.js'
import { createLibrary } from '../../dist/store/library.js'
import { NEVER } from '../support/never.ts'
import { openSteps } from '../support/steps.ts'

/** Storing these takes some slices on any machine. */
const SENTENCES = 600
const MODEL = { id: 'synthetic', dimensions: 8, maxTokens: 100 }
type Around = { before?: (indexing: Indexing) => void, after?: () => void }
const VECTOR = new Float32Array(MODEL.dimensions).fill(0.35)

/** Each sentence becomes a passage. */
function segmentsOf (word: string) {
  return Array.from({ length: SENTENCES }, (_, n) => {
    const words = [` ${word}`, ` number${n}.`].map((text, i) => ({
      text, startMs: 1000 * n + 100 * i, endMs: 1000 * n + 100 * (i + 1), probability: 1
    }))
    return { startMs: 1000 * n, endMs: 1000 * n + 200, text: ` ${word} number${n}.`, words }
  })
}

/** A completed transcription, indexed; all its sentences begin with "Old". */
async function open (t: Test) {
  let embedded = 0
  const embedder: Embedder = {
    model: MODEL,
    countTokens: async (texts) => texts.map(() => 40),
    embed: async (texts) => {
      embedded += texts.length
      return texts.map(() => VECTOR)
    }
  }
  const steps = await openSteps(t, { embedder })
  const { db, inTransaction, transcripts } = steps
  const jobId = steps.addDecodedJob('a', 1)
  const window = steps.claimWindow()
  if (!window) throw new Error('no window')
  inTransaction(() => {
    steps.jobs.setDecoded(jobId, 60_000, 0)
    transcripts.insertWindow(jobId, 0, segmentsOf('Old'))
    steps.finishWindow(window)
    steps.stages.transcribed(window)
  })
  await steps.completeAll()
  const library = createLibrary(db)
  const ownerId = steps.apiKeys.ensureOwner('a', 0)
  /** How many passages a search for the word finds that have it. */
  function count (word: string): number {
    const vectors = [{ model: MODEL.id, vector: VECTOR }]
    const { candidates } = library.find({ ownerId, terms: [word.toLowerCase()], vectors, filter: {}, wanted: 4 * SENTENCES })
    return candidates.filter(({ text }) => text.startsWith(word)).length
  }
  return {
    ...steps, jobId, count,
    embedded: () => embedded,
    /** Whole old index: `SENTENCES` and 0. */
    found: (): [old: number, young: number] => [count('Old'), count('New')],
    /** Rows of passages, and of their terms. */
    stored: () => ['passage', 'passage_terms'].map((table) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0),
    /** All sentences begin with another word, and are to be indexed again. */
    change (word: string, how: 'refresh' | 'refreshSoon' = 'refresh'): void {
      inTransaction(() => {
        transcripts.removeFrom(jobId, 0)
        transcripts.insertWindow(jobId, 0, segmentsOf(word))
        steps.indexing[how](jobId)
      })
    },
    /** Indexes what is to be indexed. `before` and `after` run around each transaction. */
    async indexWith ({ before = () => {}, after = () => {} }: Around): Promise<void> {
      const indexing: Indexing = createIndexing({
        ...steps,
        now: steps.clock.now,
        log: { info () {}, warn () {}, error () {} },
        embedder: () => embedder,
        inTransaction: (work) => {
          before(indexing)
          const result = inTransaction(work)
          after()
          return result
        }
      })
      const claim = indexing.claim()
      if (!claim) throw new Error('nothing to index')
      await indexing.index(claim, NEVER)
    }
  }
}

t.test('between the slices, searches find the whole old index, and then the whole new one', async (t) => {
  const { change, found, indexWith, jobId, stored, work } = await open(t)
  change('New')
  const seen: Array<[number, number]> = []
  await indexWith({ after: () => { seen.push(found()) } })
  const isOld = seen.map(([old, young]) => old === SENTENCES && young === 0)
  const isNew = seen.map(([old, young]) => old === 0 && young === SENTENCES)
  t.ok(seen.every((_, slice) => isOld[slice] || isNew[slice]), JSON.stringify(seen))
  t.ok(isNew.indexOf(true) > 3, `${isNew.indexOf(true)} slices before the new index is found`)
  t.strictSame(stored(), [SENTENCES, SENTENCES])
  t.notOk(work.hasOpen({ jobId, kind: 'index' }))
})

t.test('a process that dies between two slices leaves a whole index, and the next one ends the work', async (t) => {
  for (const [name, isStored] of [['while the new index is added', false], ['while the old index is removed', true]] as const) {
    await t.test(name, async (t) => {
      const { change, embedded, found, indexWith, stored, work } = await open(t)
      change('New')
      let isDead = false
      const dying = indexWith({
        before: () => { if (isDead) throw new Error('the process is dead') },
        after: () => {
          const [passages = 0] = stored()
          isDead ||= isStored ? found()[1] === SENTENCES && passages < 2 * SENTENCES : passages > 1.2 * SENTENCES
        }
      })
      await t.rejects(dying, { message: 'the process is dead' })
      t.ok((stored()[0] ?? 0) > SENTENCES, 'parts of two indexes are stored')
      t.strictSame(found(), isStored ? [0, SENTENCES] : [SENTENCES, 0])
      const before = embedded()
      work.takeBack()
      await indexWith({})
      t.strictSame(found(), [0, SENTENCES])
      t.strictSame(stored(), [SENTENCES, SENTENCES], 'nothing else is left')
      t.ok(embedded() - before < SENTENCES, 'vectors that were stored are not made again')
    })
  }
})

t.test('a transcript that changes while its index is stored: what was being stored is never found', async (t) => {
  const { change, count, found, indexWith, stored } = await open(t)
  change('Gone')
  let transactions = 0
  await indexWith({ before: () => { if (++transactions === 4) change('New') } })
  t.ok((stored()[0] ?? 0) > SENTENCES, 'something was stored')
  t.strictSame([...found(), count('Gone')], [SENTENCES, 0, 0])
  await indexWith({})
  t.strictSame([...found(), count('Gone')], [0, SENTENCES, 0])
  t.strictSame(stored(), [SENTENCES, SENTENCES])
})

t.test('an index of an older layout is made again, without new vectors', async (t) => {
  const { db, embedded, found, indexing, indexWith, jobId, passages } = await open(t)
  const stretches = (): unknown[] => db.prepare('SELECT vector FROM passage_stretch WHERE job_id = ?').pluck().all(jobId)
  const before = stretches()
  t.ok(before.length > 1)
  t.strictSame(passages.listStale(MODEL.id, 0, 9), [])
  db.prepare('UPDATE job_index SET layout = 0').run()
  db.prepare('DELETE FROM passage_stretch').run()
  indexing.sweep()
  const made = embedded()
  await indexWith({})
  t.equal(embedded(), made)
  t.strictSame([...found(), stretches().length], [SENTENCES, 0, before.length])
  t.strictSame(passages.listStale(MODEL.id, 0, 9), [])
})

t.test('a transcript that is edited all the time is indexed all the same, and again after the last edit', async (t) => {
  const { change, clock, found, indexing, indexWith, jobId, work } = await open(t)
  const index = { jobId, kind: 'index' }
  change('New', 'refreshSoon')
  clock.advance(5000)
  await indexWith({ before: (current) => { current.refreshSoon(jobId) } })
  t.strictSame(found(), [0, SENTENCES])
  t.ok(work.isReady(index))
  t.equal(indexing.claim(), undefined, 'not at once')
  clock.advance(5000)
  await indexWith({})
  t.notOk(work.hasOpen(index))
})
