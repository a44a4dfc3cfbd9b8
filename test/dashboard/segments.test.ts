/** Segments that are loaded as far as somebody asks. */
import t from 'tap'
import { createSegments } from '../../src/dashboard/transcript/model/segments.ts'
import type { SegmentPage } from '../../src/dashboard/transcript/model/segment.ts'
import { segmentOf } from './transcript.ts'

const ALL = Array.from({ length: 5000 }, (_, place) => segmentOf(place, 'some words here'))

/** A server of `all`, with a log of what was asked. */
function createServer (all = ALL) {
  const asked: Array<string | undefined> = []
  const load = async (after: string | undefined, limit: number): Promise<SegmentPage> => {
    asked.push(after)
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    return { total: all.length, revision: Math.max(0, ...all.map((one) => one.revision)), segments: all.slice(from, from + limit) }
  }
  return { asked, load }
}

t.test('the first page is small and tells how long the list is', async (t) => {
  const { asked, load } = createServer()
  const segments = createSegments(load)
  t.equal(await segments.ensureIndex(0), true)
  t.match(segments.read(), { total: 5000 })
  t.ok(segments.read().segments.length <= 200)
  await segments.ensureIndex(100)
  t.equal(asked.length, 1, 'what is there is not asked for again')
})

t.test('loads as far as an index, a time, an id, the end', async (t) => {
  const segments = createSegments(createServer().load)
  await segments.ensureTime(15_000)
  t.ok((segments.read().segments.at(-1)?.end ?? 0) >= 15_000)
  t.equal(await segments.ensureId('3000.0'), 3000)
  t.equal(await segments.ensureId('none'), undefined)
  t.equal(segments.read().segments.length, 5000)
  t.equal(await segments.ensureTime(1e9), false)
  t.equal(await segments.ensureAll(), true)
})

t.test('calls at once load nothing twice', async (t) => {
  const { asked, load } = createServer()
  const segments = createSegments(load)
  await Promise.all([segments.ensureIndex(0), segments.ensureAll(), segments.ensureIndex(4000)])
  t.equal(new Set(asked).size, asked.length)
  t.strictSame(segments.read().segments, ALL)
})

t.test('a page that cannot be loaded is told, and asked for again on demand', async (t) => {
  const server = createServer()
  let isDown = true
  const segments = createSegments(async (after, limit) => {
    if (isDown) throw new Error('down')
    return await server.load(after, limit)
  })
  await t.rejects(segments.ensureIndex(0), { message: 'down' })
  t.match(segments.read().fault, { message: 'down' })
  isDown = false
  t.equal(await segments.ensureIndex(0), true)
  t.equal(segments.read().fault, undefined)
})

t.test('reloading shows what has changed, all at once, and keeps the others as they are', async (t) => {
  const all = [...ALL]
  const segments = createSegments(createServer(all).load)
  await segments.ensureIndex(1500)
  const { length } = segments.read().segments
  const seen: number[] = []
  segments.subscribe(() => { seen.push(segments.read().segments.length) })
  all[7] = segmentOf(7, 'other words', { revision: 1 })
  await segments.reload()
  t.strictSame(seen, [length])
  t.equal(segments.read().segments[7]?.revision, 1)
  t.equal(segments.read().segments[8], ALL[8], 'the same object: its row is not rendered again')
})

t.test('a change by somebody else is looked for, and only then is the text read again', async (t) => {
  const all = [...ALL]
  const { asked, load } = createServer(all)
  const segments = createSegments(load)
  await segments.refresh()
  t.equal(asked.length, 0, 'nothing is shown yet')
  await segments.ensureIndex(1500)
  segments.put(segmentOf(7, 'mine', { revision: 1 }))
  all[7] = segmentOf(7, 'mine', { revision: 1 })
  const before = asked.length
  await segments.refresh()
  t.equal(asked.length, before + 1, 'my own change is known')
  all[9] = segmentOf(9, 'theirs', { revision: 2 })
  await segments.refresh()
  t.equal(segments.read().segments[9]?.text, ' theirs')
})

t.test('a saved segment takes the place of the old one', async (t) => {
  const segments = createSegments(createServer().load)
  await segments.ensureIndex(0)
  const words = segments.words()
  t.equal(segments.words(), words, 'built once')
  segments.put(segmentOf(7, 'new', { revision: 1 }))
  t.equal(segments.read().segments[7]?.text, ' new')
  t.equal(segments.words().starts.length, words.starts.length - 2)
  segments.put(segmentOf(4999, 'not loaded'))
  t.equal(segments.placeOf('4999.0'), undefined)
})

t.test('an empty transcript is complete', async (t) => {
  const segments = createSegments(createServer([]).load)
  t.equal(await segments.ensureAll(), true)
  t.equal(segments.read().total, 0)
})
