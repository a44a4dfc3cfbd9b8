/** Texts that are not saved yet. */
import t from 'tap'
import { createDrafts } from '../../src/dashboard/transcript/model/drafts.ts'
import type { DraftPlace } from '../../src/dashboard/transcript/model/drafts.ts'

/** As the browser's storage, in memory. `isFull`: refuses everything new. */
function createPlace ({ isFull = false } = {}): DraftPlace & { items: Map<string, string> } {
  const items = new Map<string, string>()
  return {
    items,
    get length () { return items.size },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => { items.delete(key) },
    setItem (key, value) {
      if (isFull) throw new Error('QuotaExceededError')
      items.set(key, value)
    }
  }
}
const DRAFT = { text: 'nine', base: 2, seen: 'none' }

t.test('a draft is there again after the page was opened again', async (t) => {
  const place = createPlace()
  createDrafts(place, 1, 42).write('3.0', DRAFT)
  const again = createDrafts(place, 1, 42)
  t.strictSame(again.read('3.0'), DRAFT)
  t.strictSame(again.list(), ['3.0'])
  again.drop('3.0')
  t.strictSame(again.list(), [])
  t.equal(place.items.size, 0)
})

t.test('drafts of other transcripts and other people are not shown', async (t) => {
  const place = createPlace()
  createDrafts(place, 1, 42).write('3.0', DRAFT)
  t.strictSame(createDrafts(place, 1, 4).list(), [])
  t.strictSame(createDrafts(place, 2, 42).list(), [])
  t.equal(createDrafts(place, 2, 42).read('3.0'), undefined)
})

t.test('what the browser refuses to store lasts as long as the page', async (t) => {
  const drafts = createDrafts(createPlace({ isFull: true }), 1, 42)
  drafts.write('3.0', DRAFT)
  t.strictSame(drafts.read('3.0'), DRAFT)
  t.strictSame(drafts.list(), ['3.0'])
})

t.test('entries that are not drafts are left alone', async (t) => {
  const place = createPlace()
  for (const text of ['{', 'null', '{"text":1}', '"x"']) place.items.set(`stenobox.draft.1.42.${text}`, text)
  t.strictSame(createDrafts(place, 1, 42).list(), [])
})
