/** Search over HTTP: what is asked wrongly. */
import t from 'tap'
import { buildAppliance } from '../support/appliance.ts'

t.test('times are RFC 3339, and anything else gets 400 with a sentence', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  const good = ['2026-11-22', '2026-11-22T09:30:00Z', encodeURIComponent('2026-11-22T09:30:00+01:00')]
  for (const time of good) {
    t.match(await call(mine, 'GET', `/api/v1/library/search?q=x&from=${time}&before=${time}`), { status: 200 }, time)
  }
  for (const time of ['', 'yesterday', 'Nov%2022%202026', '2026-02-30', '2026-11-22T09:30', '1763800000', '9'.repeat(100)]) {
    const expected = { status: 400, body: { success: false, code: 'invalid_request', error: /from.*/ } }
    t.match(await call(mine, 'GET', `/api/v1/library/search?q=x&from=${time}`), expected, time)
  }
  t.match(await call(mine, 'GET', '/api/v1/library/search?q=x&before=1'), { body: { error: /before: not a time\. Give a date or a time/ } })
})

t.test('a query of blanks gets 400, and any other an answer', async (t) => {
  const { call, key } = await buildAppliance(t)
  const mine = key()
  for (const query of ['', '%20%0A']) t.match(await call(mine, 'GET', `/api/v1/library/search?q=${query}`), { status: 400 })
  for (const query of ['%22', "'; DROP TABLE passage; --", 'the of and', 'x'.repeat(10_000), '%E6%9D%B1', 'NEAR(a b)']) {
    const reply = await call(mine, 'GET', `/api/v1/library/search?q=${query}`)
    t.match(reply, { status: 200, body: { data: { results: [] } } }, query.slice(0, 20))
  }
})
