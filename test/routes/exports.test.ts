/** Exports over HTTP: types, names, plans, refusals, and a transcript of ten hours. */
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import type { Test } from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import type { TestAppliance } from '../support/appliance.ts'
import { addCompleted } from '../support/exports.ts'
import { makeSpeech } from '../support/captions.ts'
import { makeSegments } from '../support/transcript.ts'
import type { TimedSegment } from '../../dist/domain/transcript.js'
import type { Plan } from '../../dist/domain/access.js'

const FORMATS: ReadonlyArray<[format: string, contentType: string]> = [
  ['txt', 'text/plain; charset=utf-8'],
  ['srt', 'text/plain; charset=utf-8'],
  ['vtt', 'text/vtt; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
  ['md', 'text/markdown; charset=utf-8'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document']
]

const named = (): TimedSegment[] => makeSegments().map((segment, index) => ({
  ...segment, speaker: `Speaker ${index + 1}`, words: segment.words.map((word) => ({ ...word, speaker: `Speaker ${index + 1}` }))
}))

async function build (t: Test, fileName = 'talk.mp3', segments = named()) {
  const built = await buildAppliance(t)
  const { id, stores } = addCompleted(t, t.testdirName, 'default', { fileName, durationMs: 61_855, segments })
  const keyOn = (plan: Plan): string => built.appliance.keys.create({ name: plan, owner: 'default', plan }).key
  const fetchExport = async (format: string, key = built.key()) =>
    await built.http.inject({ url: `/api/v1/transcriptions/${id}/export?format=${format}`, headers: { authorization: `Bearer ${key}` } })
  return { ...built, id, stores, keyOn, fetchExport }
}

t.test('every format has its type and name, and is rendered on every request', async (t) => {
  const { fetchExport } = await build(t)
  for (const [format, contentType] of FORMATS) {
    const reply = await fetchExport(format)
    t.equal(reply.statusCode, 200)
    t.equal(reply.headers['content-type'], contentType)
    t.equal(reply.headers['content-disposition'], `attachment; filename="talk.${format}"`)
    t.equal(reply.headers['cache-control'], 'no-store')
    if (format !== 'docx') t.equal((await fetchExport(format)).body, reply.body)
  }
  t.equal((await fetchExport('docx')).rawPayload.subarray(0, 2).toString(), 'PK')
  t.match((await fetchExport('md')).body, /^# talk\.mp3\n\n- Transcribed: \d{4}-\d\d-\d\d\n/)
})

t.test('a name of any characters is one header', async (t) => {
  const { fetchExport } = await build(t, 'Überblick "2026"\r\nSet-Cookie: a=b.mp3')
  const { headers } = await fetchExport('srt')
  t.equal(
    headers['content-disposition'],
    'attachment; filename="_berblick _2026_ Set-Cookie_ a=b.srt"; filename*=UTF-8\'\'%C3%9Cberblick%20_2026_%20Set-Cookie_%20a%3Db.srt'
  )
  t.notOk('set-cookie' in headers)
})

t.test('speakers are in json and md, from pro upward; subtitles and text never have them', async (t) => {
  const { fetchExport, keyOn } = await build(t)
  const plans: Array<[Plan, boolean]> = [
    ['free', false],
    ['build', false],
    ['scale', false],
    ['pro', true],
    ['agency', true],
    ['enterprise', true]
  ]
  for (const [plan, hasSpeakers] of plans) {
    const key = keyOn(plan)
    for (const format of ['json', 'md']) {
      t.equal((await fetchExport(format, key)).body.includes('Speaker 1'), hasSpeakers, `${format} on ${plan}`)
    }
    for (const format of ['txt', 'srt', 'vtt']) t.notMatch((await fetchExport(format, key)).body, /speaker/i)
  }
  const { segments } = JSON.parse((await fetchExport('json', keyOn('free'))).body) as { segments: Array<{ words: object[] }> }
  for (const segment of segments) t.notOk('speaker' in segment || segment.words.some((word) => 'speaker' in word))
})

t.test('refusals: an unknown format, a transcription that is not completed, one that is not there', async (t) => {
  const { call, key, id, stores: { addJob, jobs } } = await build(t)
  const mine = key()
  const ask = async (job: number, query: string, who = mine) => await call(who, 'GET', `/api/v1/transcriptions/${job}/export${query}`)
  for (const query of ['', '?format=', '?format=exe', '?format=SRT', '?format=txt&format=srt', '?format=__proto__', '?format=toString']) {
    t.match(await ask(id, query), { status: 400, body: { code: 'invalid_request', error: /format/ } }, query)
  }
  const [queued, failed] = [addJob('default'), addJob('default')]
  jobs.fail(failed, 'decode_failed', 0)
  for (const format of ['txt', 'docx']) {
    t.match(await ask(queued, `?format=${format}`), { status: 422, body: { code: 'not_completed', error: /queued/ } })
    t.match(await ask(failed, `?format=${format}`), { status: 422, body: { code: 'not_completed', error: /failed/ } })
  }
  t.match(await ask(9999, '?format=srt'), { status: 404, body: { code: 'not_found' } })
  t.strictSame(
    (await ask(id, '?format=srt', key('somebody else'))).body.error,
    (await ask(9999, '?format=srt')).body.error,
    'another owner sees what nobody sees'
  )
})

/** The reply to an export as it arrives. */
async function openExport ({ http, key }: TestAppliance, id: number, format: string) {
  const { port } = http.server.address() as AddressInfo
  return await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    httpRequest(
      { port, path: `/api/v1/transcriptions/${id}/export?format=${format}`, headers: { authorization: `Bearer ${key()}` } },
      resolve
    )
      .on('error', reject)
      .end()
  })
}

t.test('ten hours are sent while they are read, and others write meanwhile', async (t) => {
  const segments = makeSpeech({ seed: 1, count: 100_000, languages: ['english'], speakers: 2 })
  const built = await build(t, 'long.mp3', segments)
  await built.http.listen({ port: 0, host: '127.0.0.1' })
  const slow = await openExport(built, built.id, 'json')
  t.ok(built.stores.addJob('default') > built.id, 'a reader who does not read keeps nobody from writing')
  const srt = await text(await openExport(built, built.id, 'srt'))
  t.ok(srt.split('\n\n').length > 8000)
  const document = JSON.parse(await text(slow)) as { segments: object[] }
  t.equal(document.segments.length, segments.length)
})

t.test('a transcription removed while it is read ends the connection, not the file', async (t) => {
  const built = await build(t, 'long.mp3', makeSpeech({ seed: 1, count: 100_000, languages: ['english'] }))
  await built.http.listen({ port: 0, host: '127.0.0.1' })
  const reply = await openExport(built, built.id, 'json')
  built.stores.transcripts.removeFrom(built.id, 0)
  await t.rejects(text(reply), { code: 'ECONNRESET' })
  t.match(await built.call(built.key(), 'GET', `/api/v1/transcriptions/${built.id}`), { status: 200 }, 'and the server goes on')
})
