/** The recordings as the page keeps them: what people change, and what events say. */
import { QueryClient } from '@tanstack/react-query'
import t from 'tap'

type Recording = { id: number, title?: string, tags: string[], status: string, stage: string, progress: number }
type Page = { data: Array<Pick<Recording, 'id'>>, nextCursor: string | null }
type Pages = { pages: Page[], pageParams: undefined[] }
type Change = { title?: string | null, tags?: string[] }
/** By its address, so that the compiler of the tests, which knows no pages, does not follow it. */
const address = new URL('../../src/dashboard/recordings/recordings.ts', import.meta.url).href
const { changeRecording, mergeFirstPage, showProgress } = await import(address) as {
  changeRecording (queries: QueryClient, id: number, change: Change): Promise<unknown>
  mergeFirstPage (pages: Pages, first: Page): Pages
  showProgress (queries: QueryClient, event: Omit<Recording, 'tags'>): void
}
const KEY = ['recordings', {}]

/** A list of several pages, with one recording on each. */
function build (pages: number) {
  const queries = new QueryClient()
  const toRecording = (id: number): Recording =>
    ({ id, title: `talk ${id}`, tags: ['work'], status: 'completed', stage: 'complete', progress: 100 })
  queries.setQueryData(KEY, {
    pages: Array.from({ length: pages }, (_, index) => ({ data: [toRecording(index + 1)], nextCursor: 'x' })),
    pageParams: Array.from({ length: pages }, () => undefined)
  })
  const listed = (id: number) => queries.getQueryData<{ pages: Array<{ data: Recording[] }> }>(KEY)?.pages
    .flatMap(({ data }) => data).find((one) => one.id === id)
  return { queries, listed }
}

t.test('a change that does not arrive is taken back, however long the list is', async (t) => {
  const { queries, listed } = build(5)
  const changed = changeRecording(queries, 4, { title: 'Weekly', tags: ['budget'] })
  t.match(listed(4), { title: 'Weekly', tags: ['budget'] }, 'shown at once')
  // There is no server.
  await t.rejects(changed, { code: 'unreachable' })
  t.match(listed(4), { title: 'talk 4', tags: ['work'] })
  t.match(listed(3), { title: 'talk 3' })
})

t.test('a job that waits again is a pending recording', async (t) => {
  const { queries, listed } = build(1)
  showProgress(queries, { id: 1, title: 'Weekly', status: 'queued', stage: 'fetch', progress: 0 })
  t.match(listed(1), { title: 'Weekly', status: 'pending', stage: 'fetch', progress: 0, tags: ['work'] })
  showProgress(queries, { id: 1, title: 'Weekly', status: 'processing', stage: 'decode', progress: 20 })
  t.match(listed(1), { status: 'processing', progress: 20 })
})

t.test('the beginning of a long list is read again: what is new comes, what is gone goes, the rest stays', async (t) => {
  const pageOf = (ids: readonly number[], nextCursor: string | null = 'x'): Page => ({ data: ids.map((id) => ({ id })), nextCursor })
  const merge = (known: readonly number[][], first: Page): number[][] =>
    mergeFirstPage({ pages: known.map((ids) => pageOf(ids)), pageParams: [] }, first).pages.map(({ data }) => data.map(({ id }) => id))
  const known = [[9, 8, 7], [6, 5, 4], [3, 2]]
  t.strictSame(merge(known, pageOf([10, 9, 8])), [[10, 9, 8, 7], [6, 5, 4], [3, 2]])
  t.strictSame(merge(known, pageOf([9, 7, 5])), [[9, 7, 5], [4], [3, 2]], '8 and 6 were deleted')
  t.strictSame(merge(known, pageOf([2, 9, 8])), [[2, 9, 8, 7], [6, 5, 4], [3]], 'another place in the order')
  t.strictSame(merge(known, pageOf([13, 12, 11])), [[13, 12, 11, 9, 8, 7], [6, 5, 4], [3, 2]])
  t.strictSame(merge(known, pageOf([9], null)), [[9], [], []], 'that is all')
})
