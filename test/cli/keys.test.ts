import t from 'tap'
import type { Test } from 'tap'
import { runCommand } from '../support/program.ts'

type Listed = {
  id: number
  name: string
  owner: string
  plan: string
  createdAt: number
  expiresAt?: number
  revokedAt?: number
  replacedBy?: number
}

function setUp (t: Test) {
  const dataDir = `${t.testdir()}/data`
  const run = async (...args: string[]) => await runCommand(dataDir, ['keys', ...args])
  return { run, list: async () => JSON.parse((await run('list', '--json')).stdout) as Listed[] }
}

t.test('from creation over rotation to the end', async (t) => {
  const { run, list } = setUp(t)
  const created = JSON.parse((await run('create', '--name', 'laptop', '--owner', 'anna', '--plan', 'pro', '--json')).stdout) as {
    key: string
  }
  t.strictSame(created, { id: 1, key: created.key, owner: 'anna', plan: 'pro' })
  const rotated = await run('rotate', '1', '--grace', '24h', '--json')
  t.match(JSON.parse(rotated.stdout), { id: 2, key: /^service_sk_[\w-]{43}$/, owner: 'anna', plan: 'pro' })
  const [old, fresh] = await list()
  t.match(old, { name: 'laptop', replacedBy: 2 })
  t.equal((old?.expiresAt ?? 0) - (fresh?.createdAt ?? 0), 24 * 3600 * 1000)
  t.match(await run('rotate', '2'), { code: 0, stdout: /^service_sk_[\w-]{43}\n$/ })
  t.match(await run('revoke', '3'), { code: 0 })
  t.match(await run('create', '--name', 'phone', '--expires', '90d'), { code: 0 })
  const { stdout } = await run('list')
  const [first, second, third, fourth] = stdout.split('\n')
  t.match(first, /^1\t….{4}\tanna\tpro\tlaptop\tcreated [\d: -]{16}\tlast used never, expires [\d: -]{16}, replaced by 2$/)
  t.match(second, /\tlast used never, expired [\d: -]{16}, replaced by 3$/)
  t.match(third, /\tlast used never, revoked [\d: -]{16}$/)
  t.match(fourth, /\tdefault\tenterprise\tphone\t.*\tlast used never, expires [\d: -]{16}$/)
  t.notMatch(stdout, created.key.slice(0, 20))
})

t.test('a failure is one sentence and exit code 1', async (t) => {
  const { run, list } = setUp(t)
  await run('create', '--name', 'laptop')
  await run('rotate', '1', '--grace', '30d')
  await run('revoke', '2')
  for (const [args, message] of [
    [['rotate', '1'], /^stenobox: Key 1 was already replaced by key 2\. Rotate that one\.\n$/],
    [['rotate', '2'], /^stenobox: Key 2 is revoked\./],
    [['rotate', '9'], /^stenobox: There is no such key\.\n$/],
    [['rotate', 'x'], /positive whole number/],
    [['rotate', '1', '--grace', '31d'], /at most 30d/],
    [['rotate', '1', '--grace', '-1h'], /a time such as/],
    [['rotate', '1', '--grace', '24'], /a time such as/],
    [['create', '--name', 'x', '--expires', '0'], /a time such as/],
    [['create', '--name', 'x', '--expires', '9999d'], /at most 3650d/],
    [['revoke', '2'], /no live key 2/]
  ] as const) t.match(await run(...args), { code: 1, stdout: '', stderr: message }, args.join(' '))
  t.equal((await list()).length, 2)
})
