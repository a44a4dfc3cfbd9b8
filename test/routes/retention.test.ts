/** How long an owner wants things to be retained: shorter than the administrator allows, never longer. */
import t from 'tap'
import { buildAdministered } from '../support/admin.ts'
import { openStores } from '../support/store.ts'

const DAY_MS = 24 * 3_600_000
const PATH = '/api/v1/retention'

t.test('an owner shortens what the administrator has set, and cannot lengthen it', async (t) => {
  const { call, key, openSession } = await buildAdministered(t, { STENOBOX_RETENTION_DAYS: '30' })
  const anna = key('anna')
  t.match(await call(anna, 'GET', PATH), {
    status: 200,
    body: {
      data: {
        recordingDays: 30, transcriptDays: 0, own: { recordingDays: null, transcriptDays: null },
        allowed: { recordingDays: 30, transcriptDays: 0 }, keepsRecordings: true
      }
    }
  })
  t.match(await call(anna, 'PATCH', PATH, { recordingDays: 31 }), { status: 400, body: { error: /recordingDays: at most 30 days/ } })
  t.match(await call(anna, 'PATCH', PATH, { recordingDays: 7, transcriptDays: 400 }), {
    status: 200, body: { data: { recordingDays: 7, transcriptDays: 400, own: { recordingDays: 7, transcriptDays: 400 } } }
  })
  const admin = await openSession()
  const owner = (await admin.call('GET', 'owners')).body.data as unknown as Array<{ id: number, name: string }>
  const id = owner.find(({ name }) => name === 'anna')?.id
  await admin.call('PATCH', `owners/${id}/retention`, { recordingDays: 3, transcriptDays: 100 })
  t.match((await call(anna, 'GET', PATH)).body.data, {
    recordingDays: 3, transcriptDays: 100, own: { recordingDays: 7, transcriptDays: 400 }
  }, 'the administrator may shorten it further')
  t.match(await admin.call('GET', `owners/${id}/retention`), { body: { data: { recordingDays: 3, transcriptDays: 100 } } })
  t.match((await call(anna, 'PATCH', PATH, { recordingDays: null })).body.data, { recordingDays: 3, own: { recordingDays: null } })
  t.match((await call(key('ben'), 'GET', PATH)).body.data, { recordingDays: 30, own: { recordingDays: null } }, 'others are not concerned')
})

t.test('wrong ages are refused with the field', async (t) => {
  const { call, key } = await buildAdministered(t)
  const anna = key('anna')
  for (const body of [{ recordingDays: 0 }, { recordingDays: -1 }, { transcriptDays: 36_501 }, { recordingDays: 1.5 }, {}, { days: 3 }]) {
    t.match(await call(anna, 'PATCH', PATH, body), { status: 400, body: { code: 'invalid_request' } }, JSON.stringify(body))
  }
})

t.test('the sweep deletes transcriptions that are older than their owner wants, and no others', async (t) => {
  const dataDir = t.testdir()
  const { appliance, call, clock, key } = await buildAdministered(t, { STENOBOX_DATA_DIR: dataDir })
  const { db, jobs, addJob } = openStores(t, dataDir)
  const [anna] = [key('anna'), key('ben')]
  const ids = ['anna', 'ben'].map((owner) => addJob(owner))
  for (const id of ids) {
    db.prepare('UPDATE job SET status = \'failed\', failure_code = \'timeout\', completed_at = ? WHERE id = ?').run(clock.now(), id)
  }
  clock.advance(3 * DAY_MS)
  await appliance.retention.sweep()
  t.ok(ids.every((id) => jobs.find(id)))
  await call(anna, 'PATCH', PATH, { transcriptDays: 3 })
  await appliance.retention.sweep()
  t.strictSame(ids.map((id) => jobs.find(id) !== undefined), [false, true])
})
