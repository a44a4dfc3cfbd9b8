import t from 'tap'
import { buildAdministered } from '../../support/admin.ts'

t.test('the ages of an owner are shown and changed one by one', async (t) => {
  const { openSession, appliance, audited } = await buildAdministered(t)
  const { call } = await openSession()
  const { id } = (await call('POST', 'owners', { name: 'anna' })).body.data
  const path = `owners/${id}/retention`
  t.strictSame((await call('GET', path)).body, { success: true, data: { recordingDays: null, transcriptDays: null } })
  t.match(await call('PATCH', path, { recordingDays: 30 }), { status: 200, body: { data: { recordingDays: 30, transcriptDays: null } } })
  t.match(await call('PATCH', path, { transcriptDays: 0 }), { status: 200, body: { data: { recordingDays: 30, transcriptDays: 0 } } })
  t.match(appliance.owners.find(id as number), { mediaDays: 30, transcriptDays: 0 })
  t.match(await call('PATCH', path, { recordingDays: null }), { body: { data: { recordingDays: null, transcriptDays: 0 } } })
  t.equal(appliance.owners.find(id as number).mediaDays, undefined)
  t.match(audited().at(-1), { operation: 'changeOwnerRetention', ownerId: id })
})

t.test('what is no age is refused, and so are unknown owners and callers without a session', async (t) => {
  const { openSession, call: callWithout, key } = await buildAdministered(t)
  const { call } = await openSession()
  const { id } = (await call('POST', 'owners', { name: 'anna' })).body.data
  for (const body of [{}, { recordingDays: -1 }, { recordingDays: 1.5 }, { recordingDays: '30' }, { recordingDays: 1e9 }, { days: 3 }]) {
    t.match(await call('PATCH', `owners/${id}/retention`, body), { status: 400, body: { code: 'invalid_request' } }, JSON.stringify(body))
  }
  t.match(await call('PATCH', 'owners/99/retention', { recordingDays: 1 }), { status: 404 })
  t.match(await call('GET', 'owners/99/retention'), { status: 404 })
  t.match(await callWithout(key(), 'PATCH', `/api/v1/admin/owners/${id}/retention`, { recordingDays: 1 }), { status: 401 })
})
