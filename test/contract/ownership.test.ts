/** One owner asks for another's things, by every operation there is: a new one cannot forget whose they are. */
import t from 'tap'
import { buildAppliance } from '../support/appliance.ts'
import { PASSWORD } from '../support/admin.ts'
import { listRoutes } from '../support/document.ts'
import { prepareThings } from '../support/things.ts'

t.test('every operation answers for another owner\'s objects as if they did not exist', async (t) => {
  const dataDir = t.testdir()
  const { appliance, http, key } = await buildAppliance(t, {
    STENOBOX_DATA_DIR: dataDir,
    STENOBOX_ADMIN_PASSWORD: PASSWORD,
    STENOBOX_OFFLINE: 'true',
    STENOBOX_SHARING: 'true'
  })
  const things = await prepareThings(t, dataDir, appliance, 'owner')
  const stranger = { authorization: `Bearer ${key('stranger')}` }
  const { secret } = appliance.sessions.begin(appliance.keys.ensureOwner('stranger'), undefined)
  const signedIn = { cookie: `stenobox_session=${secret}` }
  let asked = 0
  for (const { method, path, operation } of listRoutes()) {
    if (!path.includes('{') || operation.tags.includes('Administration') || operation.security.length === 0) continue
    const ask = async (kind: 'completed' | 'unknown', who: Record<string, string>) => {
      const reply = await http.inject({
        method: method as 'GET',
        url: things.fill(path, kind) + things.queryOf(operation),
        headers: { ...who, ...things.headersOf(operation) },
        ...things.bodyOf(operation)
      })
      const { requestId: _, ...body } = reply.headers['content-type']?.toString().startsWith('application/json')
        ? reply.json<Record<string, unknown>>()
        : {}
      t.equal(reply.headers['cache-control'], 'no-store', `${operation.operationId}: nothing for a proxy to store`)
      return { status: reply.statusCode, body }
    }
    const callers = operation.security.some((scheme) => 'apiKey' in scheme) ? [stranger, signedIn] : [signedIn]
    for (const who of callers) {
      const theirs = await ask('completed', who)
      t.match(theirs, { status: 404, body: { success: false, code: 'not_found' } }, `${operation.operationId}: somebody else's`)
      t.same(theirs, await ask('unknown', who), `${operation.operationId}: told apart from what never was`)
    }
    asked++
  }
  t.ok(asked >= 6, `${asked} operations`)
  for (const { method, path, operation } of listRoutes()) {
    if (operation.security.length === 0) continue
    const reply = await http.inject({
      method: method as 'GET',
      url: things.fill(path, 'completed') + things.queryOf(operation),
      headers: things.headersOf(operation),
      ...things.bodyOf(operation)
    })
    t.equal(reply.statusCode, 401, `${operation.operationId}: without a credential`)
    t.equal(reply.headers['cache-control'], 'no-store', `${operation.operationId}: nor of the refusal`)
  }
})
