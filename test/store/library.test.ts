/** Reading passages for search: what a filter leaves is the same whether few or many passages are allowed. */
import t from 'tap'
import type { Test } from 'tap'
import { createRandom, fillNormal } from '../../dist/evaluate/sounds/random.js'
import { createLibrary } from '../../dist/store/library.js'
import { loadCodeScan } from '../../dist/native/addon.js'
import { createPassageStore } from '../../dist/store/passages.js'
import { openStores } from '../support/store.ts'

const MODEL = { id: 'synthetic', dimensions: 64 }
const random = createRandom(9)

function draw (): Float32Array {
  const vector = fillNormal(new Float32Array(MODEL.dimensions), random)
  const norm = Math.hypot(...vector)
  return vector.map((value) => value / norm)
}

/** Two jobs of an owner; `share` of all passages belong to the first. */
function fill (t: Test, passages: number, share: number) {
  const { db, addDecodedJob, jobs, apiKeys, inTransaction } = openStores(t)
  const store = createPassageStore(db)
  const vectors = Array.from({ length: passages }, draw)
  const isFirst = (index: number): boolean => index < share * passages
  const ids = inTransaction(() => [true, false].map((first) => {
    const jobId = addDecodedJob('a', 0)
    const own = vectors.filter((_, index) => isFirst(index) === first)
    const made = own.map((vector) => ({ startMs: 0, endMs: 1, text: 'word', speakers: [first ? 'Ann' : 'Bob'], sentences: [], vector }))
    store.add({ jobId, ownerId: apiKeys.ensureOwner('a', 0) }, made, MODEL)
    store.show(jobId, { model: MODEL, fault: undefined, now: 0 })
    jobs.setDecoded(jobId, 1000, 0)
    jobs.complete(jobId, 0)
    db.prepare('INSERT INTO speaker (job_id, number, name, talk_ms) VALUES (?, 1, ?, 0)').run(jobId, first ? 'Ann' : 'Bob')
    return jobId
  }))
  db.prepare('UPDATE job SET created_at = id * 1000').run()
  return { db, ids, first: vectors.filter((_, index) => isFirst(index)), ownerId: apiKeys.ensureOwner('a', 0) }
}

for (const [name, passages, share] of [['wide', 6000, 0.5], ['narrow', 6000, 0.02], ['whole of a small library', 300, 0.5]] as const) {
  t.test(`a filter that is ${name}: only what it allows, and the most similar of that`, async (t) => {
    const { db, ids, first, ownerId } = fill(t, passages, share)
    const vector = draw()
    const dot = (other: Float32Array): number => other.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0)
    const best = first.map(dot).sort((a, b) => b - a)
    for (const library of [createLibrary(db), createLibrary(db, loadCodeScan())]) {
      for (const filter of [{ speaker: 'Ann' }, { beforeAt: (ids[1] ?? 0) * 1000 }]) {
        const found = library.find({ ownerId, terms: [], vectors: [{ model: MODEL.id, vector }], filter, wanted: 20 })
        t.ok(found.candidates.length === 20 && found.candidates.every(({ jobId }) => jobId === ids[0]))
        const similarities = found.candidates.map(({ similarity = 0 }) => similarity).sort((a, b) => b - a)
        t.ok(Math.abs((similarities[0] ?? 0) - (best[0] ?? 0)) < 0.02, `${similarities[0]} is the best: ${best[0]}`)
      }
    }
  })
}

t.test('the context of a passage is what the passages around it are about, in recordings that are not very short', async (t) => {
  const { db, addDecodedJob, jobs, apiKeys } = openStores(t)
  const store = createPassageStore(db)
  const ownerId = apiKeys.ensureOwner('a', 0)
  const axis = (dimension: number): Float32Array => new Float32Array(MODEL.dimensions).fill(0).fill(1, dimension, dimension + 1)
  /** Two stretches of a recording, about other things. */
  function add (...stretches: Float32Array[][]): void {
    const jobId = addDecodedJob('a', 0)
    for (const vectors of stretches) {
      const made = vectors.map((vector) => ({ startMs: 0, endMs: 1, text: 'word', speakers: [], sentences: [], vector }))
      store.add({ jobId, ownerId }, made, MODEL)
    }
    store.show(jobId, { model: MODEL, fault: undefined, now: 0 })
    jobs.setDecoded(jobId, 1000, 0)
    jobs.complete(jobId, 0)
  }
  const repeat = (count: number, vector: Float32Array) => Array.from({ length: count }, () => vector)
  add([...repeat(9, axis(0)), axis(3)], [...repeat(9, axis(1)), axis(3)])
  add(repeat(3, axis(2)))
  const query = { ownerId, terms: ['word'], vectors: [{ model: MODEL.id, vector: axis(0) }], filter: {}, wanted: 100 }
  const contexts = createLibrary(db).find(query).candidates.sort((a, b) => a.passageId - b.passageId).map(({ context }) => context)
  t.equal(contexts.length, 23)
  t.ok(contexts.slice(0, 10).every((context = 0) => context > 0.9), 'all of the first stretch, also what differs')
  t.ok(contexts.slice(10, 20).every((context) => context === 0))
  t.strictSame(contexts.slice(20), [undefined, undefined, undefined])
})
