/** Summary, chapters, quotes and repurpose over HTTP. */
import t from 'tap'
import type { Test } from 'tap'
import { ARTIFACT_MODES } from '../../dist/domain/artifact.js'
import type { Plan } from '../../dist/domain/access.js'
import { buildAppliance } from '../support/appliance.ts'
import { readSpoken, toSegments } from '../support/artifact-sources.ts'
import { addCompleted } from '../support/exports.ts'

const talk = readSpoken('talk')

async function build (t: Test, spoken = talk.sentences.map((sentence) => ({ ...sentence, speaker: 'Speaker 1' }))) {
  const built = await buildAppliance(t)
  const transcript = { fileName: 'My_talk.mp3', durationMs: talk.durationMs, segments: toSegments(spoken) }
  const { id, stores } = addCompleted(t, t.testdirName, 'default', transcript)
  stores.db.prepare('UPDATE job SET heard_language = ? WHERE id = ?').run('en', id)
  const keyOn = (plan: Plan): string => built.appliance.keys.create({ name: plan, owner: 'default', plan }).key
  const mine = built.key()
  const ask = async (path: string, body?: object, { who = mine, job = id } = {}) =>
    await built.call(who, 'POST', `/api/v1/transcriptions/${job}/${path}`, body)
  return { ...built, id, stores, keyOn, ask }
}

t.test('summary, chapters and quotes are made once and name their engine', async (t) => {
  const { ask } = await build(t)
  for (const mode of ['summary', 'chapters', 'quotes']) {
    const first = await ask(mode)
    t.match(first, { status: 200, headers: { 'x-stenobox-engine': 'extractive', 'cache-control': 'no-store' }, body: { data: { mode } } })
    t.match(first.body.data['generatedAt'], /^\d{4}-\d\d-\d\dT/)
    t.strictSame((await ask(mode)).body, first.body, 'the same again')
  }
  const { body: { data: { chapters } } } = await ask('chapters')
  t.match(chapters, [{ title: 'How to make good bread at home', startSeconds: 0 }, { startSeconds: 79.343 }, {}, {}])
  const { body: { data: { quotes } } } = await ask('quotes')
  t.match((quotes as object[])[0], { text: String, startSeconds: Number, endSeconds: Number, speaker: 'Speaker 1' })
})

t.test('repurpose makes every mode, stores nothing, and knows no other', async (t) => {
  const { ask, stores } = await build(t)
  for (const mode of ARTIFACT_MODES) {
    const reply = await ask('repurpose', { mode })
    t.match(reply, { status: 200, headers: { 'x-stenobox-engine': 'extractive' }, body: { data: { mode, content: /bread|password/ } } })
    t.equal('chapters' in reply.body.data, mode === 'chapters')
    t.equal('quotes' in reply.body.data, mode === 'quotes')
  }
  t.equal(stores.db.prepare('SELECT count(*) FROM artifact').pluck().get(), 0)
  for (const body of [undefined, {}, { mode: 'poem' }, { mode: 'blog', tone: 'funny' }]) {
    t.match(await ask('repurpose', body), { status: 400, body: { code: 'invalid_request' } })
  }
})

t.test('speakers of quotes are shown on plans with diarization', async (t) => {
  const { ask, keyOn } = await build(t)
  for (const path of ['quotes', 'repurpose']) {
    const body = path === 'repurpose' ? { mode: 'quotes' } : undefined
    for (const [plan, hasSpeakers] of [['build', false], ['pro', true]] as const) {
      const reply = await ask(path, body, { who: keyOn(plan) })
      const quotes = reply.body.data['quotes'] as object[]
      t.ok(quotes.length >= 5)
      t.ok(quotes.every((quote) => 'speaker' in quote === hasSpeakers), `${path} on ${plan}`)
      t.notMatch(reply.body.data['content'], /Speaker/)
    }
  }
})

t.test('refusals: not completed, unknown, of another owner', async (t) => {
  const { ask, key, stores: { addJob } } = await build(t)
  const queued = addJob('default')
  for (const [path, body] of [['summary'], ['chapters'], ['quotes'], ['repurpose', { mode: 'blog' }]] as Array<[string, object?]>) {
    t.match(await ask(path, body, { job: queued }), { status: 422, body: { code: 'not_completed', error: /queued/ } })
    t.match(await ask(path, body, { job: 9999 }), { status: 404, body: { code: 'not_found' } })
    t.match(await ask(path, body, { who: key('somebody else') }), { status: 404, body: { code: 'not_found' } })
  }
})

t.test('a transcript without words has artifacts', async (t) => {
  const { ask } = await build(t, [])
  t.match(await ask('summary'), { status: 200, body: { data: { content: 'Nothing was said in this recording.' } } })
  t.match(await ask('chapters'), { status: 200, body: { data: { content: '', chapters: [] } } })
  t.match(await ask('quotes'), { status: 200, body: { data: { content: '', quotes: [] } } })
  for (const mode of ARTIFACT_MODES) t.equal((await ask('repurpose', { mode })).status, 200, mode)
})

t.test('artifact requests are counted', async (t) => {
  const { ask, call, keyOn } = await build(t)
  const who = keyOn('free')
  await ask('summary', undefined, { who })
  await ask('repurpose', { mode: 'thread' }, { who })
  const usage = await call(who, 'GET', '/api/v1/usage')
  t.match(usage.body.data, { requests: { today: 3 } })
  t.match(JSON.stringify(usage.body.data['recent']), /repurpose/)
})
