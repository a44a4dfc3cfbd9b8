import t from 'tap'
import type { Test } from 'tap'
import { createKeys } from '../../dist/service/keys.js'
import { createOwners } from '../../dist/service/owners.js'
import { createPasswords } from '../../dist/service/passwords.js'
import { createSessions } from '../../dist/service/sessions.js'
import { createIdentityStore } from '../../dist/store/identities.js'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const PASSWORD = 'correct horse battery'

function openOwners (t: Test, keepsLastAdministrator = true) {
  const stores = openStores(t)
  const clock = createClock()
  const { apiKeys, inTransaction } = stores
  const owners = createOwners({
    owners: stores.owners,
    identities: createIdentityStore(stores.db),
    sessions: stores.sessions,
    passwords: createPasswords({ log2N: 4, r: 1, p: 1 }),
    inTransaction,
    now: clock.now,
    keepsLastAdministrator
  })
  return { ...stores, clock, owners, keys: createKeys({ apiKeys, inTransaction, now: clock.now }) }
}

t.test('an owner is made once, on the plan that was said or on enterprise', async (t) => {
  const { owners, clock } = openOwners(t)
  const anna = owners.create({ name: 'anna' })
  t.strictSame(anna, {
    id: anna.id, name: 'anna', plan: 'enterprise', role: 'owner', hasPassword: false, terms: [], createdAt: clock.now()
  })
  t.equal(owners.create({ name: 'bert', plan: 'free' }).plan, 'free')
  t.throws(() => owners.create({ name: 'anna' }), { code: 'conflict' })
  t.strictSame(owners.find(anna.id), anna)
  t.strictSame(owners.findByName('anna'), anna)
  t.equal(owners.findByName('carl'), undefined)
  t.throws(() => owners.find(99), { code: 'not_found' })
})

t.test('owners made with a key are owners like others; a new key gets the plan of its owner', async (t) => {
  const { owners, keys } = openOwners(t)
  t.equal(keys.create({ name: 'laptop', owner: 'anna' }).plan, 'enterprise')
  const { id } = owners.findByName('anna') ?? { id: 0 }
  owners.change(id, { plan: 'free' })
  const { key, plan } = keys.create({ name: 'phone', owner: 'anna' })
  t.equal(plan, 'free')
  t.equal(keys.authenticate(key)?.plan, 'free')
  t.equal(keys.create({ name: 'tablet', owner: 'anna', plan: 'pro' }).plan, 'pro')
})

t.test('the list goes page by page', async (t) => {
  const { owners } = openOwners(t)
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => owners.create({ name }))
  t.strictSame(owners.list({ after: 0, limit: 2 }), all.slice(0, 2))
  t.strictSame(owners.list({ after: all[1]?.id ?? 0, limit: 9 }), all.slice(2))
  t.strictSame(owners.list({ after: 1000, limit: 9 }), [])
})

t.test('name and plan change apart and together; names stay unique', async (t) => {
  const { owners } = openOwners(t)
  const { id } = owners.create({ name: 'anna' })
  owners.create({ name: 'bert' })
  t.match(owners.change(id, { name: 'anne' }), { id, name: 'anne', plan: 'enterprise' })
  t.match(owners.change(id, { plan: 'pro' }), { name: 'anne', plan: 'pro' })
  t.match(owners.change(id, { name: 'anna', plan: 'free' }), { name: 'anna', plan: 'free' })
  t.match(owners.change(id, { name: 'anna' }), { name: 'anna' }, 'its own name is not taken')
  t.match(owners.change(id, {}), { name: 'anna', plan: 'free' })
  t.match(owners.change(id, { terms: ['Dashwood', ' Dashwood'] }), { name: 'anna', plan: 'free', terms: ['Dashwood'] })
  t.throws(() => owners.change(id, { plan: 'pro', terms: [''] }), { code: 'invalid_request' })
  t.match(owners.change(id, { name: 'anna' }), { plan: 'free', terms: ['Dashwood'] }, 'what is refused changes nothing')
  t.throws(() => owners.change(id, { name: 'bert' }), { code: 'conflict' })
  t.throws(() => owners.change(99, { plan: 'free' }), { code: 'not_found' })
  t.match(owners.find(id), { name: 'anna' })
})

t.test('an owner logs in with the password that was set last, and with nothing else', async (t) => {
  const { owners, db } = openOwners(t)
  const { id } = owners.create({ name: 'anna' })
  t.equal(await owners.verifyPassword('anna', ''), undefined, 'there is no password yet')
  await owners.setPassword(id, PASSWORD)
  t.equal(owners.find(id).hasPassword, true)
  t.equal(await owners.verifyPassword('anna', PASSWORD), id)
  for (const [name, password] of [['anna', 'wrong'], ['anna', ''], ['bert', PASSWORD], ['', PASSWORD], ['ANNA', PASSWORD]] as const) {
    t.equal(await owners.verifyPassword(name, password), undefined, `${name}: ${password}`)
  }
  await owners.setPassword(id, 'another password')
  t.equal(await owners.verifyPassword('anna', PASSWORD), undefined)
  t.equal(await owners.verifyPassword('anna', 'another password'), id)
  t.notOk(db.serialize().includes('another password'))
  await owners.setPassword(id, null)
  t.equal(owners.find(id).hasPassword, false)
  t.equal(await owners.verifyPassword('anna', 'another password'), undefined)
  await t.rejects(owners.setPassword(99, PASSWORD), { code: 'not_found' })
})

t.test('an owner that is removed while the password is computed stays removed', async (t) => {
  const { owners } = openOwners(t)
  const { id } = owners.create({ name: 'anna' })
  const setting = owners.setPassword(id, PASSWORD)
  owners.remove(id)
  await t.rejects(setting, { code: 'not_found' })
})

t.test('who loses the session, or the role, while the hash of a password is computed does not set it', async (t) => {
  const { owners, sessions: store, clock, inTransaction } = openOwners(t)
  const sessions = createSessions({ sessions: store, inTransaction, now: clock.now })
  const [anna, bert] = [owners.create({ name: 'anna' }).id, owners.create({ name: 'bert' }).id]
  for (const id of [anna, bert]) {
    owners.change(id, { role: 'administrator' })
    await owners.setPassword(id, PASSWORD)
  }
  const { session: ofBert } = sessions.begin(bert, undefined)
  const setting = owners.setPassword(anna, 'another password', ofBert)
  owners.change(bert, { role: 'owner' })
  await t.rejects(setting, { code: 'administrator_required' })
  t.equal(await owners.verifyPassword('anna', PASSWORD), anna)

  const changing = owners.changePassword(ofBert, 'another password')
  await owners.setPassword(bert, null)
  await t.rejects(changing, { code: 'unauthorized' })
  t.equal(owners.find(bert).hasPassword, false, 'the lockout stays')
})

t.test('an owner is removed with dead keys, but not with transcripts, live keys or uploads', async (t) => {
  const { owners, keys, addJob, db, clock, webhooks } = openOwners(t)
  const key = keys.create({ name: 'laptop', owner: 'anna' })
  const { id } = owners.findByName('anna') ?? { id: 0 }
  keys.rotate(key.id, 60)
  keys.revoke(2)
  webhooks.insert({ ownerId: id, url: 'https://example.org', secret: 's', apiKeyId: key.id, now: 0 })
  t.throws(() => owners.remove(id), { code: 'conflict', message: /live API keys/ }, 'a key in its grace lives')
  clock.advance(60_000)
  const insertUpload = db.prepare(
    'INSERT INTO upload (id, owner_id, file_name, size_bytes, part_size_bytes, options, created_at, expires_at) ' +
      "VALUES ('u', ?, 'f', 1, 1, '{}', 0, 1)"
  )
  insertUpload.run(id)
  t.throws(() => owners.remove(id), { code: 'conflict', message: /upload/ })
  t.equal(keys.list().length, 2, 'what was begun is undone')
  db.prepare('DELETE FROM upload').run()
  owners.remove(id)
  t.strictSame([owners.findByName('anna'), keys.list(), webhooks.list(id)], [undefined, [], []])
  t.throws(() => owners.remove(id), { code: 'not_found' })
  addJob('bert')
  t.throws(() => owners.remove(owners.findByName('bert')?.id ?? 0), { code: 'conflict', message: /transcripts/ })
})

t.test('a password that is changed while it is compared is wrong', async (t) => {
  const { owners: store, db, sessions, inTransaction } = openStores(t)
  const passwords = createPasswords({ log2N: 4, r: 1, p: 1 })
  let noteChange = (): void => {}
  const changed = new Promise<void>((resolve) => { noteChange = resolve })
  const owners = createOwners({
    owners: store,
    identities: createIdentityStore(db),
    sessions,
    passwords: {
      ...passwords,
      async verify (...given) {
        const isRight = await passwords.verify(...given)
        await changed
        return isRight
      }
    },
    inTransaction,
    now: () => 0,
    keepsLastAdministrator: true
  })
  const { id } = owners.create({ name: 'anna' })
  await owners.setPassword(id, PASSWORD)
  const compared = owners.verifyPassword('anna', PASSWORD)
  await owners.setPassword(id, 'another horse battery')
  noteChange()
  t.equal(await compared, undefined)
  t.equal(await owners.verifyPassword('anna', 'another horse battery'), id)
})

t.test('the first start is over when an administrator has a password or signs in at the provider', (t) => {
  const { owners: store, owners: { hasAccount }, db } = openStores(t)
  const identities = createIdentityStore(db)
  const addOwner = (name: string): number => store.insert({ name, plan: 'free', now: 0 })?.id ?? 0
  const [anna, bert] = [addOwner('anna'), addOwner('bert')]
  identities.insert({ issuer: 'https://id.example', subject: 'a', ownerId: anna, now: 0 })
  t.notOk(hasAccount(), 'people who may have come by themselves do not count')
  store.setRole(anna, 'administrator')
  t.ok(hasAccount(), 'an administrator of the provider')
  identities.remove(anna)
  t.notOk(hasAccount())
  store.setPasswordHash(bert, 'hash')
  t.ok(hasAccount(), 'a password')
  t.end()
})

t.test('the last administrator who can sign in stays one, except on the command line', async (t) => {
  for (const keeps of [true, false]) {
    const { owners, db } = openOwners(t, keeps)
    const identities = createIdentityStore(db)
    const [anna, bert] = [owners.create({ name: 'anna' }).id, owners.create({ name: 'bert' }).id]
    for (const id of [anna, bert]) owners.change(id, { role: 'administrator' })
    await owners.setPassword(anna, PASSWORD)
    const ways: Record<string, () => unknown> = {
      demoted: () => owners.change(anna, { role: 'owner', name: 'changed' }),
      'locked out': async () => await owners.setPassword(anna, null),
      removed: () => { owners.remove(anna) }
    }
    if (!keeps) {
      owners.change(anna, { role: 'owner' })
      t.equal(owners.find(anna).role, 'owner', 'on the command line')
      continue
    }
    for (const [what, way] of Object.entries(ways)) {
      await t.rejects(async () => await way(), { code: 'conflict', message: /last administrator who can sign in/ }, `${what}; bert cannot`)
    }
    t.match(owners.find(anna), { name: 'anna', role: 'administrator', hasPassword: true }, 'nothing was changed')
    await owners.setPassword(anna, 'another password')
    identities.insert({ issuer: 'https://id.example', subject: 'a', ownerId: bert, now: 0 })
    identities.end(bert, 1)
    t.throws(() => owners.change(anna, { role: 'owner' }), { code: 'conflict' }, 'bert no longer signs in at the provider')
    identities.remove(bert)
    identities.insert({ issuer: 'https://id.example', subject: 'b', ownerId: bert, now: 0 })
    owners.change(anna, { role: 'owner' })
    t.equal(owners.find(anna).role, 'owner', 'bert signs in at the provider')
    await t.rejects(owners.setPassword(bert, null), { code: 'conflict' }, 'and would lose that')
    owners.remove(anna)
  }
})
