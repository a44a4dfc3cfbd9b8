import t from 'tap'
import { refresh } from '../support/agent.ts'
import { obtainTokens, PASSWORD, startWithServer } from '../support/oauth-server.ts'
import { buildWithAccounts } from '../support/account.ts'

t.test('a person sees the programs that have access, and takes it away', async (t) => {
  const { address, call, appliance } = await startWithServer(t)
  const { server, client, refreshToken } = await obtainTokens(address)
  const signIn = async (name: string): Promise<string> => {
    const reply = await call(undefined, 'POST', '/api/v1/session', { name, password: PASSWORD })
    return String(reply.headers['set-cookie']).split(';')[0] ?? ''
  }
  const { id: bert } = appliance.owners.create({ name: 'bert' })
  await appliance.owners.setPassword(bert, PASSWORD)
  const [anna, stranger] = [{ cookie: await signIn('anna') }, { cookie: await signIn('bert') }]
  const list = async (headers: Record<string, string>) =>
    (await call(undefined, 'GET', '/api/v1/connections', undefined, headers)).body.data as unknown as Array<Record<string, unknown>>
  const [connection, ...more] = await list(anna)
  t.match(connection, { clientName: String(client['client_name']), scopes: ['transcripts:read'], createdAt: /^20/, lastUsedAt: /^20/ })
  t.strictSame(more, [])
  t.strictSame(await list(stranger), [])

  const url = `/api/v1/connections/${String(connection?.['id'])}`
  t.match(await call(undefined, 'DELETE', url, undefined, stranger), { status: 404 })
  t.ok((await refresh(server, client, refreshToken)).access_token, 'it still has access')
  t.match(await call(undefined, 'DELETE', url, undefined, anna), { status: 200, body: { data: { id: connection?.['id'] } } })
  t.strictSame(await list(anna), [])
  t.match(await call(undefined, 'DELETE', url, undefined, anna), { status: 404 })
  await t.rejects(refresh(server, client, refreshToken))
})

t.test('without an authorization server there are no connections', async (t) => {
  const { openAs } = await buildWithAccounts(t, ['anna'], {}, 'none')
  const { call } = await openAs()
  t.match(await call('GET', 'connections'), { status: 200, body: { data: [] } })
  t.match(await call('DELETE', 'connections/x'), { status: 404, body: { code: 'not_found' } })
})
