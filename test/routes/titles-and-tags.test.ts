/** Titles and tags over HTTP, and a library that is filtered and sorted by them. */
import t from 'tap'
import type { Test } from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import type { Injected } from '../support/appliance.ts'
import { addCompleted } from '../support/exports.ts'
import { openStores } from '../support/store.ts'
import { makeSegments } from '../support/transcript.ts'

type Item = { id: number, title?: string, fileName: string, tags: string[] }
type Page = Injected['body'] & { data: Item[], nextCursor: string | null }

async function build (t: Test) {
  const built = await buildAppliance(t)
  const stores = openStores(t, t.testdirName)
  const key = built.key()
  const list = async (query: string): Promise<Page> => {
    const reply = await built.call(key, 'GET', `/api/v1/transcriptions?${query}`)
    t.equal(reply.status, 200, reply.body.error)
    return reply.body as unknown as Page
  }
  const walk = async (query: string, between: (page: number) => void = () => {}): Promise<number[]> => {
    const ids: number[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null; page++) {
      const reply: Page = await list(`${query}${cursor && `&cursor=${cursor}`}`)
      ids.push(...reply.data.map(({ id }) => id))
      cursor = reply.nextCursor
      between(page)
    }
    return ids
  }
  const change = async (id: number, body: object, by = key): Promise<Injected> =>
    await built.call(by, 'PATCH', `/api/v1/transcriptions/${id}`, body)
  return { ...built, stores, key, list, walk, change }
}

t.test('a title is shown everywhere, is cleaned, and can be taken back', async (t) => {
  const { call, change, http, key, list } = await build(t)
  const { id } = addCompleted(t, t.testdirName, 'default', { fileName: 'talk.mp3', durationMs: 61_855, segments: makeSegments() })
  t.notOk('title' in (await list('')).data[0]!)
  const title = '<b>Weekly</b>\u202e\n meeting: “v1.2”'
  t.match(await change(id, { title }), { status: 200, body: { data: { id, title: '<b>Weekly</b> meeting: “v1.2”', text: /Good/ } } })
  t.match((await list('')).data, [{ title: '<b>Weekly</b> meeting: “v1.2”', fileName: 'talk.mp3', tags: [], progress: 100 }])
  const reply = await http.inject({ url: `/api/v1/transcriptions/${id}/export?format=md`, headers: { authorization: `Bearer ${key}` } })
  t.match(reply.payload, /^# \\<b\\>Weekly/)
  t.match(reply.headers['content-disposition'], /Weekly.*\.md/)
  t.match((await call(key, 'GET', `/api/v1/transcriptions/${id}`)).body.data, { title: '<b>Weekly</b> meeting: “v1.2”' })
  t.notOk('title' in (await change(id, { title: null })).body.data)
  for (const bad of ['', '\u200b', '\n', 'x'.repeat(201), 7]) {
    t.match(await change(id, { title: bad }), { status: 400, body: { code: 'invalid_request', error: /^title/ } }, JSON.stringify(bad))
  }
  t.match(await change(id, { title: '👩‍👩‍👧'.repeat(40) }), { status: 200 })
  t.match(await change(id, { name: 'x' }), { status: 400 })
})

t.test('tags are cleaned, are one whatever their case, and are counted', async (t) => {
  const { call, change, key, stores, list } = await build(t)
  const [first, second] = [stores.addJob('default'), stores.addJob('default')]
  const other = stores.addJob('somebody else')
  t.match(await change(first, { tags: [' Budget ', 'BUDGET', 'עברית', 'straße'] }), {
    status: 200, body: { data: { tags: ['Budget', 'עברית', 'straße'] } }
  })
  t.match(await change(second, { tags: ['bUDGET'] }), { body: { data: { tags: ['bUDGET'] } } })
  t.strictSame((await call(key, 'GET', '/api/v1/tags')).body.data, [
    { name: 'bUDGET', count: 2 }, { name: 'straße', count: 1 }, { name: 'עברית', count: 1 }
  ])
  t.strictSame((await list('tag=budget')).data.map(({ id }) => id), [second, first])
  t.match(await change(other, { tags: [] }), { status: 404 })
  t.match(await change(first, { title: 'Both or nothing', tags: ['x'.repeat(41)] }), { status: 400 })
  t.match(await change(first, { title: 'Both or nothing', tags: ['\u200b'] }), { status: 400, body: { error: /^tags\[0\]/ } })
  t.notOk('title' in (await list('')).data[1]!)
  t.match(await change(first, { tags: Array.from({ length: 21 }, (_, index) => `${index}`) }), { status: 400 })
  t.match(await change(first, { tags: [] }), { body: { data: { tags: [] } } })
  stores.jobs.remove(second)
  t.strictSame((await call(key, 'GET', '/api/v1/tags')).body.data, [])
})

t.test('the library is sorted by title and duration, page by page, whatever happens between pages', async (t) => {
  const { call, change, key, stores, walk, list } = await build(t)
  const names = ['banana', 'Äpfel', 'apple', 'Cherry', 'apple', 'éclair']
  const ids = names.map((fileName, index) => {
    const id = stores.addJob('default', { fileName })
    if (index !== 2) stores.db.prepare('UPDATE job SET duration_ms = ? WHERE id = ?').run(index * 1000, id)
    return id
  })
  stores.addJob('somebody else', { fileName: 'aaa' })
  const at = (...places: number[]): number[] => places.map((place) => ids[place]!)
  for (const limit of [1, 2, 6, 7]) {
    t.strictSame(await walk(`sort=title&limit=${limit}`), at(1, 2, 4, 0, 3, 5), `titles, ${limit} on a page`)
    t.strictSame(await walk(`sort=title&order=desc&limit=${limit}`), at(5, 3, 0, 4, 2, 1))
    t.strictSame(await walk(`sort=duration&limit=${limit}`), at(5, 4, 3, 1, 0, 2), 'the longest first, unknown ones last')
    t.strictSame(await walk(`sort=duration&order=asc&limit=${limit}`), at(2, 0, 1, 3, 4, 5))
    t.strictSame(await walk(`order=asc&limit=${limit}`), ids)
  }
  await change(ids[0]!, { title: 'Zebra' })
  t.strictSame(await walk('sort=title'), at(1, 2, 4, 3, 5, 0), 'a given title counts')
  t.strictSame(await walk('sort=title&limit=2', (page) => { if (page === 0) stores.jobs.remove(ids[2]!) }), at(1, 2, 4, 3, 5, 0),
    'the item of a cursor was deleted')
  const { nextCursor } = await list('sort=title&limit=1')
  for (const query of [`sort=duration&cursor=${nextCursor}`, 'sort=title&cursor=x', 'sort=title&cursor=bnVsbA', 'sort=size', 'order=up']) {
    t.match(await call(key, 'GET', `/api/v1/transcriptions?${query}`), { status: 400, body: { code: 'invalid_request' } }, query)
  }
})

t.test('the library is filtered by text, tag, language and status together', async (t) => {
  const { change, stores, walk } = await build(t)
  const names = ['Überblick 2026.mp3', 'overview.mp3', '100% _done_.mp3']
  const [one, two, three] = names.map((fileName) => stores.addJob('default', { fileName }))
  stores.db.prepare('UPDATE job SET options = \'{}\', heard_language = \'de\' WHERE id = ?').run(one)
  stores.jobs.fail(two!, 'timeout', 1)
  await change(two!, { title: 'Der Überblick', tags: ['Q4'] })
  t.strictSame(await walk('q=uberblick'), [two, one])
  t.strictSame(await walk('q=OVERVIEW'), [two], 'the file name counts beside a title')
  t.strictSame(await walk('q=%25%20_'), [three], 'nothing is a wildcard')
  t.strictSame(await walk('language=German'), [one])
  t.strictSame(await walk('language=en&sort=title'), [three, two])
  t.strictSame(await walk('q=blick&tag=q4&status=failed'), [two])
  t.strictSame(await walk('q=blick&tag=q4&status=completed'), [])
  t.strictSame(await walk('tag=nothing'), [])
})
