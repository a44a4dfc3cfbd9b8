import t from 'tap'
import type { Test } from 'tap'
import type { Claims } from '../../dist/engine/tokens/jwt.js'
import { createTokens, ownersByClaim, ownersById } from '../../dist/service/tokens.js'
import type { FindOwner } from '../../dist/service/tokens.js'
import { openStores } from '../support/store.ts'

function openOwners (t: Test) {
  const { owners } = openStores(t)
  const anna = owners.insert({ name: 'anna', plan: 'pro', now: 0 })
  if (!anna) throw new Error('no owner')
  const byClaim = (claim: string, create = false): FindOwner => ownersByClaim({ owners, claim, create, now: () => 5 })
  return { owners, anna, byClaim }
}

t.test('a valid token is its owner, on the owner\'s plan, with the registered scopes it was granted', async (t) => {
  const { anna, byClaim } = openOwners(t)
  const scopesOf = async (claims: object): Promise<string[]> => {
    const tokens = createTokens({ verify: async () => ({ sub: 'anna', ...claims }), findOwner: byClaim('sub') })
    const principal = await tokens.authenticate('x')
    t.match(principal, { ownerId: anna.id, plan: 'pro', keyId: undefined })
    return [...principal?.scopes ?? []]
  }
  t.strictSame(await scopesOf({ scope: 'openid library:search transcripts:read' }), ['transcripts:read', 'library:search'])
  t.strictSame(await scopesOf({ scope: 'exports:read repurpose:run' }), ['transcripts:export', 'ai:transform'])
  t.strictSame(await scopesOf({ scp: ['transcripts:write', 7, null, 'made:up'] }), ['transcripts:write'])
  t.strictSame(await scopesOf({ scp: 'transcripts:write' }), ['transcripts:write'])
  t.strictSame(await scopesOf({ scope: '', scp: ['transcripts:write'] }), [], 'scope counts where both are')
  for (const claims of [{}, { scope: 5 }, { scope: null }, { scope: {} }]) t.strictSame(await scopesOf(claims), [])
})

t.test('an invalid token or one of an unknown owner is refused', async (t) => {
  const { byClaim } = openOwners(t)
  const ask = async (claims: Claims | undefined, claim = 'sub') =>
    await createTokens({ verify: async () => claims, findOwner: byClaim(claim) }).authenticate('x')
  t.equal(await ask(undefined), undefined)
  for (const sub of ['bert', 'ANNA', '', ' ', 'x'.repeat(101), 5, null, ['anna'], undefined]) {
    t.equal(await ask({ sub } as Claims), undefined, String(sub))
  }
  t.equal(await ask({ sub: 'anna' }, 'email'), undefined)
  t.ok(await ask({ sub: 'x', email: 'anna' }, 'email'))
})

t.test('unknown owners are created on first use when the configuration allows it', async (t) => {
  const { owners, byClaim } = openOwners(t)
  t.equal(byClaim('sub')({ sub: 'carl' }), undefined)
  t.equal(owners.findByName('carl'), undefined)
  const carl = byClaim('sub', true)({ sub: 'carl' })
  t.match(carl, { name: 'carl', plan: 'enterprise', hasPassword: false, createdAt: 5 })
  t.strictSame(byClaim('sub', true)({ sub: 'carl' }), carl)
  for (const sub of [' ', 'x'.repeat(101)]) t.equal(byClaim('sub', true)({ sub }), undefined)
})

t.test('tokens of our own server name the owner by number', async (t) => {
  const { owners, anna } = openOwners(t)
  const find = ownersById(owners)
  t.equal(find({ sub: String(anna.id) })?.name, 'anna')
  for (const sub of ['99', 'anna', '', '0', '1.0', '-1', ' 1', '1e0', '9'.repeat(30)]) t.equal(find({ sub }), undefined, sub)
  t.equal(find({}), undefined)
  owners.remove(anna.id)
  t.equal(find({ sub: String(anna.id) }), undefined)
})
