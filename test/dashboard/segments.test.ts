/** Segments that are loaded where somebody looks. */
import t from 'tap'
import { createSegments } from '../../src/dashboard/transcript/model/segments.ts'
import type { PageStart } from '../../src/dashboard/transcript/model/segments.ts'
import type { SegmentPage } from '../../src/dashboard/transcript/model/segment.ts'
import { segmentOf } from './transcript.ts'

const ALL = Array.from({ length: 5000 }, (_, place) => segmentOf(place, 'some words here'))

/** A server of `all`, with a log of what was sent: [from, to). */
function createServer (all = ALL) {
  const sent: Array<[from: number, to: number]> = []
  function offsetOf (start: PageStart): number {
    if ('offset' in start) return start.offset
    if ('from' in start) return Math.max(0, all.findLastIndex((one) => one.start <= start.from))
    const before = all.findIndex(({ id }) => id === start.after)
    if (before < 0) throw new Error('no such segment')
    return before + 1
  }
  const load = async (start: PageStart, limit: number): Promise<SegmentPage> => {
    const offset = offsetOf(start)
    const segments = all.slice(offset, offset + limit)
    sent.push([offset, offset + segments.length])
    return { total: all.length, offset, revision: Math.max(0, ...all.map((one) => one.revision)), segments }
  }
  return { sent, load }
}

/** The places that are loaded, as [from, to). */
function loadedOf ({ read }: ReturnType<typeof createSegments>): Array<[number, number]> {
  const runs: Array<[number, number]> = []
  for (const [place, segment] of read().segments.entries()) {
    if (!segment) continue
    const last = runs.at(-1)
    if (last?.[1] === place) last[1]++
    else runs.push([place, place + 1])
  }
  return runs
}

t.test('the first page is small and tells how long the list is', async (t) => {
  const { sent, load } = createServer()
  const segments = createSegments(load)
  await segments.ensureView(0, 1)
  t.equal(segments.read().total, 5000)
  t.equal(segments.read().segments.length, 5000)
  t.strictSame(loadedOf(segments), [[0, 200]])
  await segments.ensureView(0, 100)
  t.equal(sent.length, 1, 'what is there is not asked for again')
})

t.test('a time, an id and a view are loaded first, without what is before them', async (t) => {
  const { sent, load } = createServer()
  const segments = createSegments(load)
  t.equal(await segments.ensureTime(41_005), 4100)
  t.strictSame(loadedOf(segments), [[4040, 4300]])
  t.equal(await segments.ensureTime(1e9), 4999, 'after the end: the last one')
  t.equal(await segments.ensureId('3000.0'), 3000)
  t.strictSame(loadedOf(segments), [[2940, 3201], [4040, 4300], [4939, 5000]])
  await segments.ensureView(3190, 3260)
  t.strictSame(loadedOf(segments), [[2940, 3400], [4040, 4300], [4939, 5000]])
  t.equal(segments.placeOf('4100.0'), 4100)
  t.equal(segments.placeOf('0.0'), undefined)
  const before = sent.length
  t.equal(await segments.ensureId('3001.0'), 3001)
  t.equal(await segments.ensureTime(30_010.2), 3001)
  t.equal(sent.length, before, 'what is there is not asked for')
  await t.rejects(segments.ensureId('none'), { message: 'no such segment' })
})

t.test('all of it is loaded in large pages, and nothing twice', async (t) => {
  const { sent, load } = createServer()
  const segments = createSegments(load)
  await segments.ensureTime(20_000)
  await Promise.all([segments.ensureAll(), segments.ensureView(0, 10), segments.ensureAll()])
  t.strictSame(segments.read().segments, ALL)
  t.equal(sent.reduce((sum, [from, to]) => sum + to - from, 0), 5000)
  t.ok(sent.length <= 6, `${sent.length} pages`)
})

t.test('who scrolls on while a page is loaded gets what is in view at the end', async (t) => {
  const { sent, load } = createServer()
  const segments = createSegments(load)
  const views = [segments.ensureView(0, 1)]
  await Promise.resolve()
  for (let from = 400; from <= 4400; from += 400) views.push(segments.ensureView(from, from + 50))
  await Promise.all(views)
  t.strictSame(sent, [[0, 200], [4400, 4600]])
})

t.test('a page that cannot be loaded is told, and asked for again on demand', async (t) => {
  const server = createServer()
  let isDown = true
  const segments = createSegments(async (start, limit) => {
    if (isDown) throw new Error('down')
    return await server.load(start, limit)
  })
  await t.rejects(segments.ensureView(0, 1), { message: 'down' })
  t.match(segments.read().fault, { message: 'down' })
  isDown = false
  await segments.ensureView(0, 1)
  t.equal(segments.read().fault, undefined)
  t.strictSame(loadedOf(segments), [[0, 200]])
  isDown = true
  await t.rejects(segments.ensureTime(20_000))
  await segments.ensureView(0, 1)
  t.equal(segments.read().fault, undefined, 'what is in view is there: the fault is that of another place')
})

t.test('reloading shows what has changed, all at once, and keeps the others as they are', async (t) => {
  const all = [...ALL]
  const segments = createSegments(createServer(all).load)
  await segments.ensureView(0, 1)
  await segments.ensureTime(41_000)
  const before = loadedOf(segments)
  let changes = 0
  segments.subscribe(() => { changes++ })
  for (const place of [7, 4110, 4800]) all[place] = segmentOf(place, 'other words', { revision: 1 })
  await segments.reload()
  t.equal(changes, 1)
  t.strictSame(loadedOf(segments), before, 'what nobody looked at is not loaded')
  t.strictSame([7, 4110].map((place) => segments.read().segments[place]?.revision), [1, 1])
  t.equal(segments.read().segments[8], ALL[8], 'the same object: its row is not rendered again')
})

t.test('a change by somebody else is looked for, and only then is the text read again', async (t) => {
  const all = [...ALL]
  const { sent, load } = createServer(all)
  const segments = createSegments(load)
  await segments.refresh()
  t.equal(sent.length, 0, 'nothing is shown yet')
  await segments.ensureView(0, 1500)
  segments.put(segmentOf(7, 'mine', { revision: 1 }))
  all[7] = segmentOf(7, 'mine', { revision: 1 })
  const before = sent.length
  t.equal(await segments.refresh(), false)
  t.equal(sent.length, before + 1, 'my own change is known')
  all[9] = segmentOf(9, 'theirs', { revision: 2 })
  t.equal(await segments.refresh(), true)
  t.equal(segments.read().segments[9]?.text, ' theirs')
  t.equal(await segments.refresh(), false)
})

t.test('a change by somebody else is not taken for known because something later is', async (t) => {
  const all = [...ALL]
  const segments = createSegments(createServer(all).load)
  const textAt = (place: number) => segments.read().segments[place]?.text
  await segments.ensureView(0, 1)
  all[9] = segmentOf(9, 'theirs', { revision: 1 })
  all[7] = segmentOf(7, 'mine', { revision: 2 })
  segments.put(all[7])
  t.equal(await segments.refresh(), true, 'what this page saved after it')
  t.equal(textAt(9), ' theirs')
  for (const place of [9, 10]) all[place] = segmentOf(place, 'replaced', { revision: 3 })
  segments.putCurrent(segmentOf(9, 'replaced', { revision: 3 }))
  t.equal(await segments.refresh(), true, 'one of several segments that it changed')
  t.equal(textAt(10), ' replaced')
  all[11] = segmentOf(11, 'theirs', { revision: 4 })
  await segments.ensureView(4000, 4001)
  t.equal(await segments.refresh(), true, 'a page that was loaded after it')
  t.equal(textAt(11), ' theirs')
})

t.test('a saved segment takes the place of the old one', async (t) => {
  const { load } = createServer()
  const segments = createSegments(load)
  await segments.ensureView(0, 1)
  const words = segments.words()
  t.equal(segments.words(), words, 'built once')
  segments.put(segmentOf(7, 'new', { revision: 1 }))
  t.equal(segments.read().segments[7]?.text, ' new')
  t.equal(segments.words().starts.length, words.starts.length - 2)
  segments.put(segmentOf(4999, 'not loaded'))
  t.equal(segments.placeOf('4999.0'), undefined)
  await segments.reload()
  t.equal(segments.read().segments[7]?.text, ' new', 'a page that was read before it was saved does not take it back')
})

t.test('an empty transcript is complete', async (t) => {
  const segments = createSegments(createServer([]).load)
  await segments.ensureView(0, 1)
  await segments.ensureAll()
  t.equal(segments.read().total, 0)
})
