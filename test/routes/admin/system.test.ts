/** The state of the appliance over HTTP. */
import t from 'tap'
import { buildAdministered } from '../../support/admin.ts'

type System = {
  version: string, node: string, uptimeSeconds: number, disks: Array<{ path: string, freeBytes: number, totalBytes: number }>
  memory: Record<string, number>, models: { speech: Record<string, string> }, checkedAt: string
  checks: Array<{ name: string, ok: boolean, matters: boolean, detail: string }>
}

t.test('the administrator sees version, disks, memory, models and checks, which are repeated after a minute', async (t) => {
  const dataDir = t.testdir()
  const { clock, openSession, call, key } = await buildAdministered(t, { STENOBOX_DATA_DIR: dataDir })
  const admin = await openSession()
  const read = async (): Promise<System> => (await admin.call('GET', 'system')).body.data as unknown as System
  const [first, same] = await Promise.all([read(), read()])
  t.match(first, { node: process.version, uptimeSeconds: 0, disks: [{ path: dataDir }], models: { speech: { balanced: 'starter' } } })
  const [disk = { freeBytes: 0, totalBytes: 0 }] = first.disks
  t.ok(disk.freeBytes > 0 && disk.totalBytes >= disk.freeBytes)
  const { totalBytes = 0, availableBytes = 0, processBytes = 0 } = first.memory
  t.ok(totalBytes >= availableBytes && processBytes > 0 && totalBytes > processBytes)
  const names = first.checks.map(({ name }) => name)
  for (const name of ['node', 'ffmpeg', 'speech library', 'voice activity', 'qualities', 'disk']) t.ok(names.includes(name), name)
  t.match(first.checks.find(({ name }) => name === 'qualities'), { ok: false, matters: false, detail: /Install a real model/ })
  t.equal(same.checkedAt, first.checkedAt)
  clock.advance(61_000)
  const later = await read()
  t.not(later.checkedAt, first.checkedAt)
  t.equal(later.uptimeSeconds, 61)
  t.match(await call(key(), 'GET', '/api/v1/admin/system'), { status: 401 })
})
