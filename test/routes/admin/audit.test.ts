/** The audit log over HTTP: pages from the newest event to the oldest, beside lines that are damaged, and after a rotation. */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { ACTOR_TYPES } from '../../../dist/domain/audit.js'
import { buildWithAccounts } from '../../support/account.ts'
import { buildAdministered } from '../../support/admin.ts'

type Page = { isOn: boolean, events: Array<{ time: string, operation: string, actor: { type: string } }>, nextCursor: string | null }

async function build (t: Test) {
  const path = `${t.testdir()}/audit.log`
  const built = await buildAdministered(t, { STENOBOX_AUDIT_LOG: path })
  const admin = await built.openSession()
  const read = async (query = ''): Promise<Page> => (await admin.call('GET', `audit${query}`)).body.data as unknown as Page
  return { ...built, admin, path, read }
}

const line = (operation: string): string =>
  JSON.stringify({ time: '2026-01-01T00:00:00.000Z', actor: { type: 'appliance' }, operation }) + '\n'

t.test('events come newest first, in pages that neither repeat nor leave out any', async (t) => {
  const { path, read } = await build(t)
  const names = Array.from({ length: 250 }, (_, number) => `operation ${number} ${'x'.repeat(number % 2 ? 700 : 10)}`)
  writeFileSync(path, names.map(line).join(''))
  const seen: string[] = []
  let page = await read('?limit=100')
  // Reading the log is an event too: it comes after the page was read.
  seen.push(...page.events.map(({ operation }) => operation))
  while (page.nextCursor !== null) {
    page = await read(`?limit=100&cursor=${page.nextCursor}`)
    seen.push(...page.events.map(({ operation }) => operation))
  }
  t.strictSame(seen, [...names].reverse())
})

t.test('acts over HTTP are in it, with who did them; damaged lines are left out', async (t) => {
  const { admin, path, read } = await build(t)
  const owner = await admin.call('POST', 'owners', { name: 'anna' })
  appendFileSync(path, '{"time":"2026-01-0\nnull\n{"time":1}\n')
  const { isOn, events } = await read()
  t.equal(isOn, true)
  t.match(events, [
    { operation: 'createOwner', actor: { type: 'administrator' }, target: { id: owner.body.data['id'] }, status: 201 },
    { operation: 'logInAsAdministrator' }
  ])
})

t.test('acts on the page are shown with the session and the owner', async (t) => {
  const { openAs, appliance } = await buildWithAccounts(t, ['anna'], { STENOBOX_AUDIT_LOG: `${t.testdir()}/audit.log` }, 'none')
  const { call } = await openAs()
  await call('POST', 'keys', { name: 'laptop' })
  const { id: ownerId } = appliance.owners.findByName('anna') ?? {}
  const { events } = (await call('GET', 'admin/audit')).body.data as unknown as Page
  t.match(events, [{ operation: 'createOwnApiKey', status: 201 }])
  t.strictSame(events[0]?.actor, { type: 'session', sessionId: 1, ownerId })
})

t.test('every kind of actor is shown with its fields', async (t) => {
  const { path, read } = await build(t)
  const actors = [
    { type: 'key', keyId: 1, ownerId: 2 }, { type: 'token', ownerId: 2 }, { type: 'administrator', session: '9f1c02ab' },
    { type: 'session', sessionId: 3, ownerId: 2 }, { type: 'owner', ownerId: 2 }, { type: 'command', uid: 1000 }, { type: 'appliance' },
    { type: 'nobody' }
  ]
  t.strictSame(actors.map(({ type }) => type).sort(), [...ACTOR_TYPES].sort())
  const toLine = (actor: object): string => `${JSON.stringify({ time: '2026-01-01T00:00:00.000Z', actor, operation: 'x' })}\n`
  writeFileSync(path, actors.map(toLine).join(''))
  t.strictSame((await read()).events.map(({ actor }) => actor), [...actors].reverse())
})

t.test('a page of a log that was rotated since says so', async (t) => {
  const { admin, path, read } = await build(t)
  appendFileSync(path, line('x').repeat(1000))
  const { nextCursor } = await read('?limit=10')
  renameSync(path, `${path}.1`)
  t.match(await admin.call('GET', `audit?cursor=${nextCursor}`), { status: 410, body: { code: 'gone' } })
  t.match((await read()).events, [{ operation: 'listAuditEvents', status: 410 }])
  t.match(await admin.call('GET', 'audit?cursor=x'), { status: 400 })
})

t.test('without a file, nothing is recorded, and the reply says so', async (t) => {
  const { openSession } = await buildAdministered(t)
  t.match((await (await openSession()).call('GET', 'audit')).body.data, { isOn: false, events: [], nextCursor: null })
})
