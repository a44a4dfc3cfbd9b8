import { writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { file, openFetching } from '../support/fetching.ts'
import type { World } from '../support/fetching.ts'
import { callerOf } from '../support/submit.ts'

const DAY_MS = 24 * 60 * 60_000
const URL = 'https://example.org/talk.mp3'

async function open (t: Test, world: World) {
  const opened = await openFetching(t, { at: { [URL]: file('sound') }, ...world })
  const { submit, owner, dataDir, jobs, clock, retention, list } = opened
  return {
    ...opened,
    async upload (): Promise<number> {
      writeFileSync(`${dataDir}/talk.wav`, 'upload')
      const local = { path: `${dataDir}/talk.wav`, sizeBytes: 0 }
      return (await submit.submitFile(callerOf(owner), local, { options: { sttQuality: 'fast' } })).job.id
    },
    async complete (id: number): Promise<void> {
      jobs.begin(id, 'decode', clock.now())
      jobs.setDecoded(id, 1000, clock.now())
      jobs.complete(id, clock.now())
      await retention.release(id)
    },
    countFiles: (): number => list('media').length
  }
}

t.test('media that is not to be retained is removed when its transcript is complete', async (t) => {
  const { upload, fetch, complete, countFiles } = await open(t, { keepMedia: false })
  const ids = [await upload(), (await fetch(URL)).id]
  t.equal(countFiles(), 2)
  for (const id of ids) await complete(id)
  t.equal(countFiles(), 0)
})

t.test('media that is to be retained stays when its transcript is complete', async (t) => {
  const { upload, complete, countFiles } = await open(t, {})
  await complete(await upload())
  t.equal(countFiles(), 1)
})

t.test('after a failure, media of an address is removed and an upload stays for the retry', async (t) => {
  const { upload, fetch, ending, countFiles, mediaOf } = await open(t, {})
  const [uploaded, fetched] = [await upload(), (await fetch(URL)).id]
  for (const id of [uploaded, fetched]) await ending.fail({ id, retryCount: 0 }, 'decode_failed', new Error('x'))
  t.strictSame([mediaOf(uploaded)?.state, mediaOf(fetched)?.state, countFiles()], ['stored', 'removed', 1])
})

t.test('media that two jobs share stays for the second', async (t) => {
  const { fetch, complete, countFiles, ending } = await open(t, { keepMedia: false })
  const [first, second] = [await fetch(URL), await fetch(URL)]
  t.equal(first.mediaId, second.mediaId)
  await complete(first.id)
  t.equal(countFiles(), 1)
  await ending.fail(second, 'decode_failed', new Error('x'))
  t.equal(countFiles(), 0)
})

t.test('media past the retention age is removed, unless a job is using it', async (t) => {
  const { upload, complete, countFiles, clock, retention } = await open(t, { mediaDays: 30 })
  await complete(await upload())
  await upload()
  clock.advance(30 * DAY_MS - 1)
  await retention.sweep()
  t.equal(countFiles(), 2)
  clock.advance(1)
  await retention.sweep()
  t.equal(countFiles(), 1)
  const forever = await open(t, {})
  await forever.complete(await forever.upload())
  forever.clock.advance(10_000 * DAY_MS)
  await forever.retention.sweep()
  t.equal(forever.countFiles(), 1)
})

t.test('the next sweep releases what a crashed process could not', async (t) => {
  const { fetch, upload, jobs, clock, retention, countFiles, mediaOf } = await open(t, { keepMedia: false })
  const [completed, failed, uploaded, waits] = [(await fetch(URL)).id, (await fetch(URL)).id, await upload(), await upload()]
  jobs.setDecoded(completed, 1000, clock.now())
  jobs.complete(completed, clock.now())
  jobs.fail(failed, 'decode_failed', clock.now())
  jobs.fail(uploaded, 'decode_failed', clock.now())
  await retention.sweep()
  t.strictSame([completed, failed, uploaded, waits].map((id) => mediaOf(id)?.state), ['removed', 'removed', 'stored', 'stored'])
  t.equal(countFiles(), 2)
})

t.test('transcripts past the retention age are removed with their recordings, unless they are not finished', async (t) => {
  const { upload, complete, countFiles, clock, retention, jobs, ending } = await open(t, { transcriptDays: 7 })
  const [old, failed, waits] = [await upload(), await upload(), await upload()]
  await complete(old)
  await ending.fail({ id: failed, retryCount: 0 }, 'decode_failed', new Error('x'))
  clock.advance(7 * DAY_MS - 1)
  await retention.sweep()
  const young = await upload()
  await complete(young)
  t.equal(countFiles(), 4)
  clock.advance(1)
  await retention.sweep()
  t.strictSame([old, failed, waits, young].map((id) => jobs.find(id) !== undefined), [false, false, true, true])
  t.equal(countFiles(), 2)
})

t.test('an owner has ages of their own, longer, shorter or none', async (t) => {
  const { upload, complete, countFiles, clock, retention, jobs, owners, owner } = await open(t, { transcriptDays: 7, mediaDays: 7 })
  const first = await upload()
  await complete(first)
  owners.setRetention(owner, { transcriptDays: 0, mediaDays: 30 })
  clock.advance(29 * DAY_MS)
  await retention.sweep()
  t.equal(countFiles(), 1)
  clock.advance(DAY_MS)
  await retention.sweep()
  t.strictSame([countFiles(), jobs.find(first)?.status], [0, 'completed'])
  owners.setRetention(owner, { mediaDays: 30 })
  await retention.sweep()
  t.equal(jobs.find(first), undefined, 'the configured age again')
})
