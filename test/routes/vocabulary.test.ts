/** Names and terms over HTTP: of an owner, and of a job. */
import t from 'tap'
import { buildAdministered } from '../support/admin.ts'
import { buildAppliance } from '../support/appliance.ts'
import type { TestAppliance } from '../support/appliance.ts'
import { openStores } from '../support/store.ts'

const PATH = '/api/v1/vocabulary'
const BAD: Array<[terms: unknown, error: RegExp]> = [
  [undefined, /terms/], [null, /terms/], ['Dashwood', /terms/], [[1], /terms/], [[''], /1 to 64 characters/],
  [['x'.repeat(65)], /1 to 64 characters. One has 65/], [['a\u0000b'], /control characters/], [['?!'], /letter or a digit/],
  [Array.from({ length: 201 }, (_, index) => `t${index}`), /at most 200 terms/]
]

/** The terms of the job that these bytes become. */
async function upload ({ call }: TestAppliance, key: string, options: object): Promise<number> {
  const begun = await call(key, 'POST', '/api/v1/media/uploads/init', { fileName: 'a.wav', fileSize: 3, options })
  const { uploadId } = begun.body.data
  await call(key, 'PUT', `/api/v1/media/uploads/${String(uploadId)}/parts/1`, Buffer.from('abc'), {
    'content-type': 'application/octet-stream'
  })
  return (await call(key, 'POST', '/api/v1/media/uploads/complete', { uploadId })).body.data['jobId'] as number
}

t.test('the list of an owner is replaced as a whole, and nobody else\'s changes', async (t) => {
  const { call, key } = await buildAppliance(t)
  const [anna, bert] = [key('anna'), key('bert')]
  t.match(await call(anna, 'GET', PATH), { status: 200, headers: { 'cache-control': 'no-store' }, body: { data: { terms: [] } } })
  const set = await call(anna, 'PUT', PATH, { terms: [' Ada  Lovelace ', 'Dashwood', 'Dashwood'] })
  t.strictSame([set.status, set.body.data], [200, { terms: ['Ada Lovelace', 'Dashwood'] }])
  t.strictSame((await call(anna, 'GET', PATH)).body.data, { terms: ['Ada Lovelace', 'Dashwood'] })
  t.strictSame(
    (await call(key('anna'), 'GET', PATH)).body.data, { terms: ['Ada Lovelace', 'Dashwood'] }, 'with another key of the same owner'
  )
  t.strictSame((await call(bert, 'GET', PATH)).body.data, { terms: [] })
  await call(bert, 'PUT', PATH, { terms: ['metformin'] })
  t.strictSame((await call(anna, 'GET', PATH)).body.data, { terms: ['Ada Lovelace', 'Dashwood'] })
  t.strictSame((await call(anna, 'PUT', PATH, { terms: [] })).body.data, { terms: [] })
})

t.test('an invalid list of terms is refused everywhere', async (t) => {
  const { call, key, openSession, appliance } = await buildAdministered(t)
  const anna = key('anna')
  await call(anna, 'PUT', PATH, { terms: ['Dashwood'] })
  const { call: administer } = await openSession()
  const { id } = appliance.owners.findByName('anna') ?? { id: 0 }
  for (const [terms, error] of BAD) {
    const refused = { status: 400, body: { code: 'invalid_request', error } }
    t.match(await call(anna, 'PUT', PATH, { terms }), refused, JSON.stringify(terms))
    if (terms === undefined) continue
    t.match(await administer('PATCH', `owners/${id}`, { terms }), refused)
    t.match(await call(anna, 'POST', '/api/v1/media/uploads/init', { fileName: 'a.wav', fileSize: 3, options: { terms } }), refused)
    t.match(
      await call(anna, 'POST', '/api/v1/transcriptions', { source: { url: 'https://example.org/a.mp3' }, options: { terms } }), refused
    )
  }
  t.match(await call(anna, 'PUT', PATH, { terms: [], more: 1 }), { status: 400, body: { error: /more/ } })
  t.strictSame(appliance.owners.find(id).terms, ['Dashwood'])
})

t.test('the administrator sees and changes the list of any owner', async (t) => {
  const { call, key, openSession } = await buildAdministered(t)
  const { call: administer } = await openSession()
  const { id } = (await administer('POST', 'owners', { name: 'anna' })).body.data
  t.match(await administer('PATCH', `owners/${id}`, { terms: ['Dashwood'] }), {
    status: 200, body: { data: { name: 'anna', terms: ['Dashwood'] } }
  })
  t.strictSame((await call(key('anna'), 'GET', PATH)).body.data, { terms: ['Dashwood'] })
  t.match(
    await administer('PATCH', `owners/${id}`, { plan: 'pro' }), { status: 200, body: { data: { terms: ['Dashwood'] } } },
    'a change of something else leaves it'
  )
})

t.test('a job has its own terms and those its owner had when it was made', async (t) => {
  const dataDir = t.testdir()
  const built = await buildAppliance(t, { STENOBOX_DATA_DIR: dataDir })
  const { jobs } = openStores(t, dataDir)
  const anna = built.key('anna')
  await built.call(anna, 'PUT', PATH, { terms: ['Dashwood', 'metformin'] })
  const first = await upload(built, anna, { terms: ['Ada  Lovelace', 'metformin'] })
  const fetched = await built.call(anna, 'POST', '/api/v1/transcriptions', { source: { url: 'https://example.org/a.mp3' } })
  await built.call(anna, 'PUT', PATH, { terms: ['other'] })
  t.strictSame(jobs.find(first)?.options.terms, ['Ada Lovelace', 'metformin', 'Dashwood'])
  t.strictSame(jobs.find(fetched.body.data['jobId'] as number)?.options.terms, ['Dashwood', 'metformin'])
  t.strictSame(jobs.find(await upload(built, built.key('bert'), {}))?.options.terms, undefined)
})
