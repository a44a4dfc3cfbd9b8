/** The audit log: who did what over HTTP and on the command line, without what it was about. */
import { existsSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs'
import t from 'tap'
import { readConfig } from '../../dist/config.js'
import { createLogger } from '../../dist/logger.js'
import { openAudit } from '../../dist/wiring/audit.js'
import { buildAppliance } from '../support/appliance.ts'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'

type Line = {
  time: string, actor: Record<string, unknown>, operation: string, target?: Record<string, unknown>, requestId?: string
  address?: string, status?: number, outcome?: string, lost?: number, leftOut?: number
}
const linesOf = (path: string): Line[] => readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Line)
const PASSWORD = 'correct horse battery staple'

t.test('requests and commands are recorded, without texts, names of recordings, keys and queries', async (t) => {
  const root = t.testdir({})
  const path = `${root}/audit.jsonl`
  const settings = { STENOBOX_AUDIT_LOG: path, STENOBOX_ADMIN_PASSWORD: PASSWORD }
  const server = await startServer(`${root}/data`, settings)
  t.teardown(async () => await server.stop())
  t.equal(statSync(path).mode & 0o777, 0o600)
  const key = server.firstKey ?? ''
  const client = createClient(server.address, key)
  const id = await client.uploadFile(`${AUDIO}en-1.wav`, { fileName: 'Zebrafile.wav' })
  const { transcriptText = '' } = await client.ended(id)
  t.equal((await client.request('GET', `/api/v1/transcriptions/${id}`)).status, 200)
  await client.request('GET', '/api/v1/library/search?q=Quaggaquery')
  await client.request('DELETE', `/api/v1/transcriptions/${id}`)
  await fetch(`${server.address}/api/v1/jobs/Okapijob`, { headers: { authorization: `Bearer service_sk_${'x'.repeat(43)}` } })
  const login = await fetch(`${server.address}/api/v1/admin/session`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password: PASSWORD })
  })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const owner = await fetch(`${server.address}/api/v1/admin/owners`, {
    method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify({ name: 'anna' })
  })
  const { data: { id: ownerId } } = await owner.json() as { data: { id: number } }
  const created = await runCommand(`${root}/data`, ['keys', 'create', '--name', 'Marmotkey', '--owner', 'anna', '--plan', 'pro'], settings)
  t.equal(created.code, 0)
  t.equal((await runCommand(`${root}/data`, ['keys', 'revoke', '77'], settings)).code, 1)

  const lines = linesOf(path)
  const find = (operation: string) => lines.find((line) => line.operation === operation)
  const caller = { type: 'key', keyId: 1, ownerId: 1 }
  t.match(find('stenobox serve'), { actor: { type: 'command', uid: process.getuid?.() }, outcome: 'begun' })
  t.match(find('deleteTranscription'), { actor: caller, target: { id }, status: 200, address: '127.0.0.1', requestId: /^[0-9a-f-]{36}$/ })
  t.match(find('getTranscription'), { actor: caller, target: { id }, status: 200 })
  t.strictSame(lines.filter(({ status }) => status === 401).map(({ actor, target }) => [actor, target]), [[{ type: 'nobody' }, undefined]])
  t.match(find('logInAsAdministrator'), { actor: { type: 'administrator', session: /^[0-9a-f]{8}$/ }, status: 200 })
  t.match(find('createOwner'), { actor: { type: 'administrator' }, target: { id: ownerId }, status: 201 })
  t.match(find('stenobox keys create'), { target: { owner: 'anna', plan: 'pro' }, outcome: 'done' })
  t.match(find('stenobox keys revoke'), { target: { id: 77 }, outcome: 'failed' })
  const text = readFileSync(path, 'utf8')
  const words = transcriptText.match(/\p{L}{5,}/gu) ?? []
  t.ok(words.length > 3)
  for (const word of [...words, 'Zebrafile', 'Quagga', 'Okapi', 'Marmot', 'service_sk_', created.stdout.trim(), key, PASSWORD, cookie]) {
    t.notOk(text.includes(word), word)
  }
})

t.test('a renamed file is followed by a new one, a truncated one is continued', async (t) => {
  const root = t.testdir({})
  const path = `${root}/audit.jsonl`
  const { call, key } = await buildAppliance(t, { STENOBOX_AUDIT_LOG: path })
  const mine = key()
  await call(mine, 'GET', '/api/v1/usage')
  renameSync(path, `${path}.1`)
  await call(mine, 'GET', '/api/v1/usage')
  t.strictSame([linesOf(`${path}.1`).length, linesOf(path).length], [1, 1])
  truncateSync(path)
  await call(mine, 'GET', '/api/v1/usage')
  t.equal(linesOf(path).length, 1)
})

t.test('requests of nobody are limited; when the file cannot be written, requests are answered and the log says so', async (t) => {
  const root = t.testdir({})
  let now = 1_000_000
  const path = `${root}/audit.jsonl`
  const { call } = await buildAppliance(t, { STENOBOX_AUDIT_LOG: path }, () => now)
  for (let count = 0; count < 130; count++) await call(undefined, 'GET', '/api/v1/usage')
  t.equal(linesOf(path).length, 100)
  now += 60_000
  await call(undefined, 'GET', '/api/v1/usage')
  t.match(linesOf(path).at(-1), { leftOut: 30, status: 401 })

  const faults: object[] = []
  const log = { error: (fields: object) => { faults.push(fields) } }
  const audit = openAudit({ auditLog: '/dev/full' }, log, () => now)
  audit.record({ actor: { type: 'appliance' }, operation: 'test' })
  audit.record({ actor: { type: 'appliance' }, operation: 'test' })
  t.match(faults, [{ err: { code: 'ENOSPC' }, lost: 1 }, { lost: 2 }])
  t.throws(() => openAudit(readConfig({ STENOBOX_AUDIT_LOG: `${root}/none/audit.jsonl` }), createLogger('silent'), Date.now), {
    message: /STENOBOX_AUDIT_LOG: .* cannot be written \(ENOENT\)/
  })
  t.notOk(existsSync(`${root}/none`))
})
