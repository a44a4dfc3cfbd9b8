/** Pages of other sites: every operation that changes something refuses them. A new one cannot forget to. */
import t from 'tap'
import { buildWithAccounts } from '../support/account.ts'
import { listRoutes } from '../support/document.ts'
import { prepareThings } from '../support/things.ts'

const FOREIGN: Array<Record<string, string>> = [
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:81' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'same-site', origin: 'http://localhost:80' }
]

t.test('no request of another site changes anything with the session of a person', async (t) => {
  const dataDir = t.testdir()
  const { appliance, http, openAs } = await buildWithAccounts(t, ['anna'], {
    STENOBOX_DATA_DIR: dataDir, STENOBOX_OFFLINE: 'true', STENOBOX_SHARING: 'true'
  }, 'none')
  const things = await prepareThings(t, dataDir, appliance, 'anna')
  const { cookie, call } = await openAs()
  let asked = 0
  for (const { method, path, operation } of listRoutes()) {
    const isPublic = operation.security.length === 0
    if (method === 'GET' && isPublic) continue
    for (const headers of FOREIGN) {
      const reply = await http.inject({
        method: method as 'GET',
        url: things.fill(path, 'completed') + things.queryOf(operation),
        headers: { host: 'localhost:80', ...things.headersOf(operation), ...headers, cookie },
        ...things.bodyOf(operation)
      })
      t.match(
        { status: reply.statusCode, body: reply.json<object>() }, { status: 403, body: { code: 'cross_site_request' } },
        `${operation.operationId} ${JSON.stringify(headers)}`
      )
      asked++
    }
  }
  t.ok(asked > 200, `${asked} requests`)
  t.equal((await call('GET', 'session')).status, 200, 'and the session is still there')
})

t.test('our own page is served, as browsers and programs call it', async (t) => {
  const { openAs } = await buildWithAccounts(t, ['anna'], { STENOBOX_PUBLIC_URL: 'https://steno.example.org' }, 'none')
  const { call } = await openAs()
  for (const headers of [
    {}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { origin: 'https://steno.example.org' },
    { origin: 'http://box.local:8080', host: 'Box.local:8080' }
  ] as Array<Record<string, string>>) {
    t.equal((await call('PUT', 'vocabulary', { terms: ['Dashwood'] }, headers)).status, 200, JSON.stringify(headers))
  }
})
