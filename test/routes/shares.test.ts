import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { buildWithAccounts } from '../support/account.ts'
import { openStores } from '../support/store.ts'

const DAY_MS = 24 * 3600_000
const SOUND = Buffer.from('RIFF????WAVEfmt '.padEnd(1000, 'x'))
const WORDS = [
  { text: ' The', startMs: 300, endMs: 450, probability: 0.98, speaker: 'Speaker 1' },
  { text: ' meeting', startMs: 450, endMs: 900, probability: 0.95, speaker: 'Speaker 1' }
]

/** Anna and Bert with one completed transcription each. */
async function build (t: Test, settings: Record<string, string> = { STENOBOX_SHARING: 'true' }) {
  const dataDir = t.testdir()
  const built = await buildWithAccounts(t, ['anna', 'bert'], { STENOBOX_DATA_DIR: dataDir, ...settings }, 'none')
  const { db, addJob, transcripts, jobs, media, work } = openStores(t, dataDir)
  function addCompleted (owner: string, fileName: string, sound: Buffer): number {
    const id = addJob(owner, { fileName, sizeBytes: sound.length })
    db.prepare('UPDATE job SET status = \'completed\', duration_ms = 2700, completed_at = 1 WHERE id = ?').run(id)
    work.removeRun(id)
    transcripts.insertWindow(id, 0, [{ startMs: 300, endMs: 900, text: ' The meeting', words: WORDS, speaker: 'Speaker 1' }])
    writeFileSync(`${dataDir}/media/${media.find(jobs.find(id)?.mediaId ?? 0)?.file}`, sound)
    return id
  }
  const id = addCompleted('anna', 'meeting.mp3', SOUND)
  const other = addCompleted('bert', 'secret.mp3', Buffer.from('the other recording'))
  const anna = await built.openAs('anna')
  const share = async (days = 30, of = id) => {
    const reply = await anna.call('POST', `transcriptions/${of}/shares`, { expiresInDays: days })
    return { ...reply, token: String(reply.body.data?.['url']).split('/shared/')[1] ?? '' }
  }
  /** What anybody gets, without a cookie. */
  const open = async (token: string, path = '', headers: Record<string, string> = {}) =>
    await built.http.inject({ method: 'GET', url: `/api/v1/shared/${token}${path}`, headers })
  return { ...built, dataDir, id, other, anna, share, open, addJob }
}

t.test('a link shows the transcript and plays the recording, to anybody, until it expires', async (t) => {
  const { share, open, clock } = await build(t)
  const made = await share(30)
  t.match(made, { status: 201, body: { data: { id: 1, expiresAt: '2026-01-31T00:00:00.000Z' } } })
  t.match(made.body.data['url'], /^http:\/\/localhost:80\/shared\/[\w-]{43}$/)
  const reply = await open(made.token)
  t.equal(reply.statusCode, 200)
  t.strictSame(reply.json(), {
    success: true,
    data: {
      title: 'meeting.mp3', language: 'en', durationSeconds: 2.7, expiresAt: '2026-01-31T00:00:00.000Z',
      segments: [{
        id: 0, start: 0.3, end: 0.9, text: ' The meeting', speaker: 'Speaker 1',
        words: [
          { word: ' The', start: 0.3, end: 0.45, probability: 0.98, speaker: 'Speaker 1' },
          { word: ' meeting', start: 0.45, end: 0.9, probability: 0.95, speaker: 'Speaker 1' }
        ]
      }]
    }
  })
  t.match(reply.headers, { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' })
  const audio = await open(made.token, '/audio')
  t.ok(audio.rawPayload.equals(SOUND))
  t.match(audio.headers, { 'content-type': 'audio/wav', 'accept-ranges': 'bytes', 'x-content-type-options': 'nosniff' })
  clock.advance(30 * DAY_MS)
  for (const path of ['', '/audio']) t.match((await open(made.token, path)).json(), { code: 'gone', error: /expired/ })
})

t.test('a recording with a title is played under it: the name of the file may say more', async (t) => {
  const { anna, id, share, open } = await build(t)
  const { token } = await share()
  t.match((await open(token, '/audio')).headers['content-disposition'], 'meeting.mp3')
  await anna.call('PATCH', `transcriptions/${id}`, { title: 'Weekly' })
  const { headers } = await open(token, '/audio')
  t.match(headers['content-disposition'], 'Weekly')
  t.notMatch(headers['content-disposition'], 'meeting')
})

t.test('nothing is played that was deleted, or whose link was removed, while the file was opened', async (t) => {
  const { appliance: { playback, owners, removal, shares }, id, share } = await build(t)
  const { id: ownerId } = owners.findByName('anna') ?? { id: 0 }
  const START = { start: 0, end: 1 }
  const { token, body } = await share()
  const shared = await shares.listen(token)
  shares.remove(Number(body.data['id']), id, ownerId)
  t.throws(() => shared.open(START), { code: 'not_found', message: /no such link/ })
  const own = await playback.file(id, ownerId)
  await removal.remove(id, ownerId)
  t.throws(() => own.open(START), { code: 'not_found' })
  t.equal(playback.count(), 0)
  await Promise.all([shared, own].map(async ({ close }) => { await close() }))
})

t.test('a player asks for parts of the recording', async (t) => {
  const { share, open, http } = await build(t)
  const { token } = await share()
  const part = await open(token, '/audio', { range: 'bytes=8-11' })
  t.match({ status: part.statusCode, body: part.body, headers: part.headers }, {
    status: 206, body: 'WAVE', headers: { 'content-range': 'bytes 8-11/1000', 'content-length': '4' }
  })
  t.equal((await open(token, '/audio', { range: 'bytes=8-11', 'if-range': '"other"' })).statusCode, 200)
  t.match((await open(token, '/audio', { range: 'bytes=1000-' })).json(), { code: 'range_not_satisfiable' })
  const tag = String(part.headers.etag)
  t.equal((await open(token, '/audio', { 'if-none-match': tag })).statusCode, 304)
  const head = await http.inject({ method: 'HEAD', url: `/api/v1/shared/${token}/audio` })
  t.match({ status: head.statusCode, body: head.body, length: head.headers['content-length'] }, { status: 200, body: '', length: '1000' })
})

t.test('off unless it is configured, also for links that were made before', async (t) => {
  const { share, anna, id, open, other } = await build(t, {})
  const off = { status: 403, body: { code: 'sharing_off', error: /STENOBOX_SHARING/ } }
  t.match(await share(), off)
  t.match(await anna.call('GET', `transcriptions/${id}/shares`), off)
  t.match(await anna.call('DELETE', `transcriptions/${id}/shares/1`), off)
  for (const path of ['', '/audio']) t.match((await open('any', path)).json(), { code: 'sharing_off' })
  t.match(await anna.call('POST', `transcriptions/${other}/shares`, { expiresInDays: 1 }), { status: 404 }, 'nothing about others')
})

t.test('a link can be ended, and ends with its transcription', async (t) => {
  const { share, anna, id, open, appliance } = await build(t)
  const [first, second] = [await share(), await share(1)]
  const list = async () => (await anna.call('GET', `transcriptions/${id}/shares`)).body.data as unknown as object[]
  t.strictSame(await list(), [
    { id: 1, createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-31T00:00:00.000Z' },
    { id: 2, createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' }
  ])
  t.match(await anna.call('DELETE', `transcriptions/${id}/shares/1`), { status: 200, body: { data: { id: 1 } } })
  t.match((await open(first.token)).json(), { code: 'not_found' })
  t.match((await open(first.token, '/audio')).json(), { code: 'not_found' })
  t.equal((await open(second.token)).statusCode, 200)
  t.match(await anna.call('DELETE', `transcriptions/${id}/shares/1`), { status: 404 })
  t.equal((await anna.call('DELETE', `transcriptions/${id}`)).status, 200)
  t.match((await open(second.token)).json(), { code: 'not_found' })
  appliance.shares.sweep()
})

t.test('a link opens nothing else', async (t) => {
  const { share, open, anna, other, id, call } = await build(t)
  const { token } = await share()
  for (const path of ['/../../transcriptions', `/audio?id=${other}`, `/audio/${other}`, '/peaks', '/shares']) {
    const reply = await open(token, path)
    t.ok([200, 401, 404].includes(reply.statusCode), path)
    t.notMatch(reply.body, /the other recording/)
  }
  for (const wrong of [token.slice(1), `${token}x`, token.toUpperCase(), '1', '%00', 'x'.repeat(101)]) {
    t.match((await open(wrong)).json(), { code: 'not_found' }, wrong)
  }
  for (const url of [`transcriptions/${id}`, `transcriptions/${other}`, 'transcriptions']) {
    t.equal((await call(token, 'GET', `/api/v1/${url}`)).status, 401, `as a credential: ${url}`)
    t.equal((await call(undefined, 'GET', `/api/v1/${url}`, undefined, { cookie: `stenobox_session=${token}` })).status, 401)
  }
  t.equal((await anna.call('GET', 'session')).status, 200)
})

t.test('only the owner shares, and only a person', async (t) => {
  const { other, id, anna, share, openAs, appliance, call } = await build(t)
  t.match(await share(30, other), { status: 404, body: { code: 'not_found' } })
  await share()
  const bert = await openAs('bert')
  t.match(await bert.call('GET', `transcriptions/${id}/shares`), { status: 404 })
  t.match(await bert.call('DELETE', `transcriptions/${id}/shares/1`), { status: 404 })
  t.match(await bert.call('DELETE', `transcriptions/${other}/shares/1`), { status: 404 }, 'a link of another transcription')
  const { key } = appliance.keys.create({ name: 'k', owner: 'anna' })
  const byKey = await call(key, 'POST', `/api/v1/transcriptions/${id}/shares`, { expiresInDays: 1 })
  t.match(byKey, { status: 403, body: { code: 'session_required' } })
  for (const expiresInDays of [0, 91, 1.5, '30', null]) {
    t.match(await anna.call('POST', `transcriptions/${id}/shares`, { expiresInDays }), { status: 400, body: { error: /expiresInDays/ } })
  }
})

t.test('what is not completed cannot be shared, and a transcription has fifty links at most', async (t) => {
  const { share, addJob } = await build(t)
  t.match(await share(1, addJob('anna')), { status: 422, body: { code: 'not_completed' } })
  for (let i = 0; i < 50; i++) t.equal((await share(1)).status, 201)
  t.match(await share(1), { status: 409, body: { code: 'conflict' } })
})

t.test('on a plan without speakers, a link shows none', async (t) => {
  const { share, open, appliance } = await build(t)
  const { token } = await share()
  appliance.owners.change(appliance.owners.findByName('anna')?.id ?? 0, { plan: 'free' })
  appliance.plans.set('free', { diarization: false })
  t.notMatch((await open(token)).body, /Speaker 1/)
})

t.test('a recording that is no longer stored cannot be played, and its transcript can be read', async (t) => {
  const { share, open, dataDir } = await build(t)
  const { token } = await share()
  const db = openStores(t, dataDir).db
  db.prepare('UPDATE media SET state = \'removed\'').run()
  t.match((await open(token, '/audio')).json(), { code: 'gone' })
  t.equal((await open(token)).statusCode, 200)
})

t.test('the token is in no log, audit log or file', async (t) => {
  const auditLog = `${t.testdirName}-audit.log`
  const { share, open, logText, dataDir } = await build(t, { STENOBOX_SHARING: 'true', STENOBOX_AUDIT_LOG: auditLog })
  const { token } = await share()
  await open(token)
  await open(`${token}x`)
  await open(token, '/audio', { range: 'bytes=5000-' })
  const stored = readdirSync(dataDir).filter((name) => name.startsWith('app.db'))
  const files = stored.map((name) => readFileSync(join(dataDir, name), 'latin1'))
  const audit = readFileSync(auditLog, 'utf8')
  t.match(audit, /"operation":"createShare","target":\{"id":1/)
  for (const text of [...files, logText(), audit]) t.notOk(text.includes(token))
})
