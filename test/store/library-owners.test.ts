/** A search depends on the passages of its owner only: what it finds, in which order, and how much it reads. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { LibraryFilter } from '../../dist/domain/library-search.js'
import { createLibrary } from '../../dist/store/library.js'
import { createPassageStore } from '../../dist/store/passages.js'
import { openStores } from '../support/store.ts'

const FILTERS: readonly LibraryFilter[] = [{}, { language: 'en' }, { language: 'de' }]
const OTHERS = ['before', 'after']

/** `a` is made between the owners of `OTHERS`, so that its passages are between theirs in every index. */
function open (t: Test, dataDir?: string) {
  const stores = openStores(t, dataDir)
  const store = createPassageStore(stores.db)
  for (const name of ['before', 'a', 'after']) stores.apiKeys.ensureOwner(name, 0)
  function add (owner: string, texts: readonly string[]): void {
    stores.inTransaction(() => {
      const jobId = stores.addDecodedJob(owner, 0)
      const passages = texts.map((text) => ({ startMs: 0, endMs: 1, text, speakers: [], sentences: [] }))
      store.add({ jobId, ownerId: stores.apiKeys.ensureOwner(owner, 0) }, passages, undefined)
      store.show(jobId, { model: undefined, fault: undefined, now: 0 })
      stores.jobs.setDecoded(jobId, 1000, 0)
      stores.jobs.complete(jobId, 0)
    })
  }
  const ownerId = stores.apiKeys.ensureOwner('a', 0)
  const find = (terms: readonly string[], filter: LibraryFilter = {}, wanted = 3) =>
    createLibrary(stores.db).find({ ownerId, terms, vectors: [], filter, wanted })
  /** The texts that are found by words, best first. */
  function search (...asked: Parameters<typeof find>): string[] {
    const { byWords, candidates } = find(...asked)
    return byWords.map((id) => candidates.find(({ passageId }) => passageId === id)?.text ?? '')
  }
  return { ...stores, add, find, search }
}

const OWN = ['harbour one', 'pilot', 'harbour two', 'ferry and harbour', 'harbour three', 'pilot and ferry', 'nothing', 'ferry']

t.test('rare terms before common ones, more terms before fewer, and then the newest', async (t) => {
  const { add, search } = open(t)
  add('a', OWN)
  t.strictSame(search(['harbour', 'pilot'], {}, 10),
    ['pilot and ferry', 'pilot', 'harbour three', 'ferry and harbour', 'harbour two', 'harbour one'])
  t.strictSame(search(['ferry', 'pilot', 'harbour'], {}, 3), ['pilot and ferry', 'ferry and harbour', 'pilot'])
  t.strictSame(search(['missing']), [])
})

t.test('passages of other owners change neither results nor their order nor what is known of the terms', async (t) => {
  const { add, find } = open(t)
  add('a', OWN)
  const ask = () => FILTERS.flatMap((filter) => [['harbour', 'pilot'], ['ferry'], ['quay']].map((terms) => find(terms, filter)))
  const before = ask()
  // For all owners together, pilots are common now, and harbours rare.
  for (const owner of OTHERS) add(owner, [...Array.from({ length: 300 }, (_, n) => `the pilot ${n} of the quay`), 'a pilot', 'ferry'])
  t.strictSame(ask(), before)
})

t.test('passages of other owners are not read', async (t) => {
  const { add, db, find } = open(t, t.testdir())
  const words = ['harbour', 'pilot', 'ferry', 'quay']
  const textsOf = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => words.map((word) => `${word} ${n % 7}`).join(' '))
  /** What a search reads of the file, when nothing of it is in memory. */
  function readBytes (filter: LibraryFilter): number {
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.pragma('cache_size = 0')
    find(words, filter)
    const count = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
    const before = count()
    find(words, filter)
    return count() - before
  }
  add('a', textsOf(300))
  const alone = FILTERS.map(readBytes)
  for (const owner of OTHERS) add(owner, textsOf(12_000))
  for (const [index, filter] of FILTERS.entries()) {
    const among = readBytes(filter)
    t.ok(among < 1.05 * (alone[index] ?? 0), `${among} bytes, and ${alone[index]} without the others`)
  }
})
