/** The library over HTTP: pages that hold whatever happens meanwhile, and deletion. */
import t from 'tap'
import type { Test } from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import type { Injected } from '../support/appliance.ts'
import { addCompleted } from '../support/exports.ts'
import { openStores } from '../support/store.ts'
import { makeSegments } from '../support/transcript.ts'

type Page = Injected['body'] & { data: Array<{ id: number }>, nextCursor: string | null }

async function build (t: Test) {
  const built = await buildAppliance(t)
  const stores = openStores(t, t.testdirName)
  const mine = built.key()
  const list = async (query = '', key = mine): Promise<Page> => {
    const reply = await built.call(key, 'GET', `/api/v1/transcriptions${query}`)
    t.equal(reply.status, 200, reply.body.error)
    return reply.body as unknown as Page
  }
  /** All ids, page by page; `between` is called after each page. */
  const walk = async (query: string, between: () => void = () => {}): Promise<number[][]> => {
    const pages: number[][] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list(`?${query}${cursor && `&cursor=${cursor}`}`)
      pages.push(page.data.map(({ id }) => id))
      cursor = page.nextCursor
      between()
    }
    return pages
  }
  return { ...built, stores, mine, list, walk }
}

t.test('the library lists jobs in every state, newest first and without texts', async (t) => {
  const { list, key } = await build(t)
  t.strictSame(await list(), { success: true, data: [], nextCursor: null })
  const { id, stores } = addCompleted(t, t.testdirName, 'default', { fileName: 'talk.mp3', durationMs: 61_855, segments: makeSegments() })
  const failed = stores.addJob('default', { fileName: 'broken.mp3' })
  stores.jobs.fail(failed, 'decode_failed', 1)
  const queued = stores.addJob('default')
  stores.addJob('somebody else')
  const page = await list()
  t.match(page.data, [
    { id: queued, status: 'pending', fileName: 'talk.mp3', createdAt: '1970-01-01T00:00:00.000Z' },
    { id: failed, status: 'failed', fileName: 'broken.mp3' },
    { id, status: 'completed', fileName: 'talk.mp3', duration: 61.855, durationSeconds: 61.855 }
  ])
  t.equal(page.data.length, 3)
  for (const item of page.data) t.notOk('text' in item || 'transcriptText' in item)
  t.equal((await list('', key('somebody else'))).data.length, 1)
})

t.test('pages have the requested length and status', async (t) => {
  const { walk, stores, list } = await build(t)
  const ids = Array.from({ length: 45 }, () => stores.addJob('default')).reverse()
  for (const id of ids.filter((id) => id % 3 === 0)) stores.jobs.fail(id, 'timeout', 1)
  for (const limit of [1, 20, 44, 45, 46, 100]) {
    const pages = await walk(`limit=${limit}`)
    t.strictSame(pages.flat(), ids, `limit ${limit}`)
    t.equal(pages.length, Math.ceil(45 / limit), 'no empty page at the end')
  }
  t.equal((await list()).data.length, 20, 'twenty when nothing is said')
  t.strictSame((await walk('limit=4&status=failed')).flat(), ids.filter((id) => id % 3 === 0))
  t.strictSame((await walk('limit=4&status=pending')).flat(), ids.filter((id) => id % 3 !== 0))
  t.strictSame(await walk('status=completed'), [[]])
})

t.test('additions and deletions between pages repeat and skip nothing, even when the item of a cursor is deleted', async (t) => {
  const { walk, stores } = await build(t)
  const ids = Array.from({ length: 30 }, () => stores.addJob('default')).reverse()
  let page = 0
  const pages = await walk('limit=5', () => {
    page++
    stores.addJob('default')
    stores.jobs.remove(ids[page * 5 - 1] ?? 0)
    if (page === 1) stores.jobs.remove(ids[7] ?? 0)
  })
  t.strictSame(pages.flat(), ids.filter((_, index) => index !== 7))
})

t.test('queries that are not valid get 400', async (t) => {
  const { call, mine } = await build(t)
  const bad: Array<[string, RegExp]> = [
    ['limit=0', /limit/], ['limit=-1', /limit/], ['limit=101', /limit/], ['limit=1.5', /limit/], ['limit=x', /limit/], ['limit=', /limit/],
    ['limit=1&limit=2', /limit/],
    ['status=queued', /status/], ['status=', /status/], ['cursor=', /cursor/], ['cursor=x', /cursor/], ['cursor=MQ', /cursor/],
    ['cursor=%00', /cursor/],
    [`cursor=${'A'.repeat(8193)}`, /cursor/], [`cursor=${Buffer.from(`after ${2 ** 53}`).toString('base64url')}`, /cursor/]
  ]
  for (const [query, error] of bad) {
    t.match(
      await call(mine, 'GET', `/api/v1/transcriptions?${query}`),
      { status: 400, body: { success: false, code: 'invalid_request', error } },
      query
    )
  }
})

t.test('a deleted transcription cannot be found by any operation', async (t) => {
  const { call, mine, key, list } = await build(t)
  const { id, stores } = addCompleted(t, t.testdirName, 'default', { fileName: 'talk.mp3', durationMs: 1000, segments: makeSegments() })
  const other = stores.addJob('default')
  t.match(await call(key('somebody else'), 'DELETE', `/api/v1/transcriptions/${id}`), { status: 404, body: { code: 'not_found' } })
  t.match(await call(mine, 'DELETE', `/api/v1/transcriptions/${id}`), { status: 200, body: { success: true, data: { id } } })
  for (const [method, path] of [
    ['GET', `jobs/${id}`], ['POST', `jobs/${id}/retry`], ['GET', `transcriptions/${id}`],
    ['GET', `transcriptions/${id}/export?format=txt`], ['DELETE', `transcriptions/${id}`]
  ] as const) {
    t.match(await call(mine, method, `/api/v1/${path}`), { status: 404, body: { code: 'not_found' } }, `${method} ${path}`)
  }
  t.strictSame((await list()).data.map((item) => item.id), [other])
})

t.test('ids that are not valid get 400', async (t) => {
  const { call, mine } = await build(t)
  for (const id of ['0', '-1', '1.5', 'x', String(2 ** 53), 'NaN', '1e3x', '%00']) {
    t.match(await call(mine, 'DELETE', `/api/v1/transcriptions/${id}`), { status: 400, body: { code: 'invalid_request', error: /id/ } }, id)
    t.match(await call(mine, 'POST', `/api/v1/jobs/${id}/retry`), { status: 400, body: { code: 'invalid_request', error: /id/ } }, id)
  }
  for (const id of ['1', String(2 ** 53 - 1)]) {
    t.match(await call(mine, 'DELETE', `/api/v1/transcriptions/${id}`), { status: 404 })
    t.match(await call(mine, 'POST', `/api/v1/jobs/${id}/retry`), { status: 404 })
  }
})
