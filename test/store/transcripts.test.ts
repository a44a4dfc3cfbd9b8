import t from 'tap'
import { makeSegments } from '../support/transcript.ts'
import { openStores } from '../support/store.ts'

t.test('segments come back as they were stored, in the order of time, then of their windows', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const [job, other] = [addJob('a'), addJob('a')]
  const [first, second] = makeSegments()
  if (!first || !second) throw new Error('two segments are expected')
  const beside = { ...first, text: ' Hello.', channel: 2 as const }
  transcripts.insertWindow(job, 10, [beside])
  transcripts.insertWindow(job, 2, [first, second])
  transcripts.insertWindow(other, 0, [first])
  t.strictSame(transcripts.list(job), [first, beside, second])
  t.strictSame(transcripts.listTexts(job), [first, beside, second].map(({ text }) => ({ text })))
  t.strictSame(transcripts.list(other), [first])
})

t.test('segments are read page by page, the same as at once, while others write', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const [job, other] = [addJob('a'), addJob('a')]
  for (const idx of [11, 0, 3]) transcripts.insertWindow(job, idx, Array.from({ length: 50 }, makeSegments).flat())
  transcripts.insertWindow(other, 1, makeSegments())
  const read: unknown[] = []
  for (const segment of transcripts.iterate(job)) {
    read.push(segment)
    addJob('a')
  }
  t.strictSame(read, transcripts.list(job))
  t.equal(read.length, 300)
  t.strictSame([...transcripts.iterate(addJob('a'))], [])
})

t.test('a transcript that is removed while it is read ends in an error', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const job = addJob('a')
  transcripts.insertWindow(job, 0, Array.from({ length: 100 }, makeSegments).flat())
  const segments = transcripts.iterate(job)
  segments.next()
  transcripts.removeFrom(job, 0)
  t.throws(() => [...segments], { code: 'gone' })
})

t.test('speakers are kept with segments and words', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const [job, other] = [addJob('a'), addJob('a')]
  for (const id of [job, other]) transcripts.insertWindow(id, 0, makeSegments())
  const named = makeSegments().map((segment, index) =>
    ({ ...segment, speaker: `Speaker ${index + 1}`, words: segment.words.map((word) => ({ ...word, speaker: 'Speaker 1' })) }))
  transcripts.nameSpeakers(job, () => named)
  t.strictSame(transcripts.list(job), named)
  t.strictSame(transcripts.list(other), makeSegments(), 'of this job only')
})

t.test('words said at once and doubtful speakers are kept, with a speaker and without', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const job = addJob('a')
  const marks = [{ isOverlap: true }, { speaker: 'Speaker 1', isOverlap: true }, { speaker: 'Speaker 1', speakerConfidence: 0.4 },
    { speaker: 'Speaker 1', speakerConfidence: 0.4, isOverlap: true }]
  const words = marks.map((mark, index) => ({ text: ' a', startMs: index, endMs: index + 1, probability: 1, ...mark }))
  const segment = { startMs: 0, endMs: words.length, text: ' a a a a', words }
  transcripts.insertWindow(job, 0, [segment])
  t.strictSame(transcripts.list(job), [segment])
})

t.test('a window without words stores nothing, and a window is stored once', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const job = addJob('a')
  transcripts.insertWindow(job, 0, [])
  t.strictSame(transcripts.list(job), [])
  transcripts.insertWindow(job, 0, makeSegments())
  t.throws(() => { transcripts.insertWindow(job, 0, makeSegments()) }, { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' })
})

t.test('segments are removed from a window on, of one job only', async (t) => {
  const { transcripts, addJob } = openStores(t)
  const [job, other] = [addJob('a'), addJob('a')]
  for (const idx of [0, 1, 2]) transcripts.insertWindow(job, idx, makeSegments())
  transcripts.insertWindow(other, 2, makeSegments())
  transcripts.removeFrom(job, 1)
  t.equal(transcripts.list(job).length, 2)
  t.equal(transcripts.list(other).length, 2)
})

t.test('what was left out comes back as it was stored, in order, and replaces what was noted before', async (t) => {
  const { transcripts, jobs, addJob } = openStores(t)
  const [job, other] = [addJob('a'), addJob('a')]
  const silence = { startMs: 90_000, endMs: 95_008, reason: 'silence', probability: 0.02, levelDb: -61.5 } as const
  const noise = { startMs: 320, endMs: 40_000, reason: 'noise', probability: 0.08, levelDb: -20 } as const
  transcripts.setSkipped(other, [silence])
  transcripts.setSkipped(job, [silence])
  transcripts.setSkipped(job, [silence, noise])
  t.strictSame(transcripts.listSkipped(job), [noise, silence])
  t.strictSame(transcripts.listSkipped(addJob('a')), [])
  jobs.remove(job)
  t.strictSame(transcripts.listSkipped(job), [], 'it goes with its job')
  t.strictSame(transcripts.listSkipped(other), [silence])
})
