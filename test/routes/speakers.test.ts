/** Speakers over HTTP: who sees them, what they are called, and who may change that. */
import t from 'tap'
import type { Test } from 'tap'
import { strFromU8, unzipSync } from 'fflate'
import type { Plan } from '../../dist/domain/access.js'
import { measureSpeakers } from '../../dist/domain/speaker-names.js'
import type { TimedSegment } from '../../dist/domain/transcript.js'
import { buildAppliance } from '../support/appliance.ts'
import { addCompleted } from '../support/exports.ts'

/** Three speakers, one word each; the second one is doubtful, and speaks while the third does. */
const segments: TimedSegment[] = [1, 2, 3].map((number) => ({
  startMs: number * 5000, endMs: number * 5000 + 500, text: ` word${number}`, speaker: `Speaker ${number}`,
  words: [{
    text: ` word${number}`, startMs: number * 5000, endMs: number * 5000 + 500, probability: 1, speaker: `Speaker ${number}`,
    ...(number === 2 ? { speakerConfidence: 0.31234, isOverlap: true } : {})
  }]
}))

async function build (t: Test) {
  const built = await buildAppliance(t)
  const { id, stores } = addCompleted(t, t.testdirName, 'default', { fileName: 'talk.mp3', durationMs: 20_000, segments })
  stores.speakers.request(id, {})
  stores.speakers.replace(id, measureSpeakers(segments))
  stores.speakers.setDone(id, { isSubstitute: false })
  const url = `/api/v1/transcriptions/${id}`
  const key = built.key()
  return {
    ...built,
    id,
    key,
    stores,
    url,
    otherKey: built.key('other'),
    keyOn: (plan: Plan): string => built.appliance.keys.create({ name: plan, owner: 'default', plan }).key,
    change: async (body: object, by = key) => await built.call(by, 'PATCH', `${url}/speakers`, body),
    exported: async (format: string) =>
      (await built.http.inject({ url: `${url}/export?format=${format}`, headers: { authorization: `Bearer ${key}` } })).rawPayload
  }
}

t.test('speakers are listed and counted', async (t) => {
  const { call, key, url } = await build(t)
  t.match(await call(key, 'GET', `${url}/speakers`), {
    status: 200,
    body: {
      data: { status: 'done', failure: null, speakers: [1, 2, 3].map((number) => ({ label: `Speaker ${number}`, talkSeconds: 0.5 })) }
    }
  })
  t.match((await call(key, 'GET', url)).body.data, { speakerCount: 3 })
})

t.test('names and merges are in json and md at once, in docx if asked, and in nothing else', async (t) => {
  const { call, change, exported, key, url } = await build(t)
  const reply = await change({ speakers: [{ label: 'Speaker 1', name: 'Ada' }], merge: [{ from: 'Speaker 3', into: 'Speaker 2' }] })
  const after = [{ label: 'Speaker 1', name: 'Ada' }, { label: 'Speaker 2', talkSeconds: 1 }]
  t.match(reply, { status: 200, body: { data: { speakers: after } } })
  t.equal((reply.body.data['speakers'] as unknown[]).length, 2)
  t.match((await call(key, 'GET', url)).body.data, { speakerCount: 2 })
  const json = JSON.parse((await exported('json')).toString()) as { segments: Array<{ speaker: string, words: unknown[] }> }
  t.strictSame(json.segments.map(({ speaker }) => speaker), ['Ada', 'Speaker 2', 'Speaker 2'])
  t.match(json.segments[1]?.words, [{ speaker: 'Speaker 2', speakerConfidence: 0.312, overlap: true }])
  t.notOk('overlap' in (json.segments[0]?.words[0] as object) || 'speakerConfidence' in (json.segments[0]?.words[0] as object))
  t.match((await exported('md')).toString(), /Ada:\*\* word1[^]*Speaker 2:\*\* word2/)
  for (const format of ['txt', 'srt', 'vtt']) t.notMatch((await exported(format)).toString(), /Ada|Speaker/, format)
  const readWord = (bytes: Buffer): string => strFromU8(unzipSync(bytes)['word/document.xml'] ?? new Uint8Array())
  t.notMatch(readWord(await exported('docx')), /Ada|Speaker/)
  const named = readWord(await exported('docx&speakers=names'))
  t.match(named, /Ada/)
  t.notMatch(named, /Speaker/)
  t.match(await call(key, 'GET', `${url}/export?format=srt&speakers=names`), { status: 400, body: { code: 'invalid_request' } })
})

t.test('a transcription of somebody else, one that is not completed, and a plan without speakers', async (t) => {
  const { call, change, id, keyOn, key, otherKey, stores, url } = await build(t)
  const requests: Array<(by: string) => Promise<{ status: number, body: { code: string } }>> = [
    async (by) => await call(by, 'GET', `${url}/speakers`),
    async (by) => await change({ speakers: [{ label: 'Speaker 1', name: 'Eve' }] }, by),
    async (by) => await call(by, 'POST', `${url}/speakers`, { speakers: true })
  ]
  for (const request of requests) {
    t.match(await request(otherKey), { status: 404, body: { code: 'not_found' } })
    t.match(await request(keyOn('free')), { status: 403, body: { code: 'not_in_plan' } })
  }
  t.match(await call(keyOn('scale'), 'GET', `${url}/export?format=docx&speakers=names`), { status: 403, body: { code: 'not_in_plan' } })
  stores.db.prepare('UPDATE job SET status = \'processing\' WHERE id = ?').run(id)
  for (const request of requests) t.match(await request(key), { status: 422, body: { code: 'not_completed' } })
  t.strictSame(stores.speakers.list(id).map(({ name }) => name), [undefined, undefined, undefined])
})

t.test('changes that are refused change nothing', async (t) => {
  const { change, id, stores } = await build(t)
  const before = stores.speakers.list(id)
  const bodies: object[] = [
    { speakers: [{ label: 'Speaker 1', name: 'Ada' }, { label: 'Speaker 2', name: 'ada' }] },
    { speakers: [{ label: 'Speaker 1', name: 'Ada' }, { label: 'Speaker 4', name: 'Bob' }] },
    { merge: [{ from: 'Speaker 1', into: 'Speaker 1' }] },
    { speakers: [{ label: 'Speaker 1', name: 'x'.repeat(101) }] },
    { speakers: [{ label: 'Speaker 1' }] },
    { names: [] }
  ]
  for (const body of bodies) t.match(await change(body), { status: 400, body: { code: 'invalid_request' } }, JSON.stringify(body))
  t.strictSame(stores.speakers.list(id), before)
  t.equal((await change({})).status, 200, 'an empty change is one')
})

t.test('a failure is a warning of the transcription and the job, and says what to do', async (t) => {
  const { call, id, key, stores, url } = await build(t)
  stores.speakers.setFailed(id, 'model_unavailable')
  const warning = { code: 'speakers_missing', message: /text is complete.*stenobox doctor.*POST/ }
  t.match((await call(key, 'GET', url)).body.data, { warnings: [warning] })
  t.notOk('speakerCount' in (await call(key, 'GET', url)).body.data)
  t.match((await call(key, 'GET', `/api/v1/jobs/${id}`)).body.data, { status: 'completed', warnings: [warning] })
  t.match((await call(key, 'GET', `${url}/speakers`)).body.data, { status: 'failed', failure: { code: 'model_unavailable' } })
})

t.test('speakers cannot be identified again without the recording, or with an impossible number', async (t) => {
  const { call, key, url } = await build(t)
  t.match(await call(key, 'POST', `${url}/speakers`, { speakers: true }), { status: 410, body: { code: 'gone' } })
  const bodies: object[] = [
    { speakers: false }, {}, { speakers: { exact: 2, min: 1 } }, { speakers: { min: 3, max: 2 } }, { speakers: { min: 0 } },
    { speakers: 'two' }
  ]
  for (const body of bodies) t.match(await call(key, 'POST', `${url}/speakers`, body), { status: 400 }, JSON.stringify(body))
})

t.test('every way in takes the option, checks it, and refuses it on a plan without speakers', async (t) => {
  const { call, key, keyOn, stores } = await build(t)
  const ways: Array<[url: string, body: object]> = [
    ['/api/v1/media/ingest', { sourceUrl: 'https://example.org/a.mp3' }],
    ['/api/v1/transcriptions', { source: { url: 'https://example.org/a.mp3' } }],
    ['/api/v1/media/uploads/init', { fileName: 'a.mp3', fileSize: 10 }]
  ]
  for (const [url, body] of ways) {
    const ask = async (speakers: unknown, by = key) => await call(by, 'POST', url, { ...body, options: { speakers } })
    t.equal((await ask({ min: 2, max: 3 })).status, 201, url)
    t.equal((await ask(false, keyOn('free'))).status, 201, url)
    t.match(await ask(true, keyOn('free')), { status: 403, body: { code: 'not_in_plan' } }, url)
    t.match(await ask({ exact: 2, max: 3 }), { status: 400, body: { error: /^options\.speakers: exact cannot be combined/ } }, url)
    t.match(await ask({ min: 0 }), { status: 400, body: { error: /^options\.speakers\.min/ } }, url)
    t.match(await ask({ many: true }), { status: 400, body: { error: /^options\.speakers\.many/ } }, url)
  }
  t.strictSame(stores.db.prepare('SELECT options ->> \'speakers\' FROM job WHERE id > 1').pluck().all(), [
    '{"min":2,"max":3}', 0, '{"min":2,"max":3}', 0
  ])
})

t.test('without diarization in the plan, search does not tell who talks', async (t) => {
  const { call, key, keyOn } = await build(t)
  const find = async (by: string): Promise<unknown> => await call(by, 'GET', '/api/v1/library/search?q=word1&speaker=Speaker%201')
  t.match(await find(keyOn('build')), { status: 403, body: { code: 'not_in_plan' } })
  t.match(await find(key), { status: 200 })
})
