import { spawnSync } from 'node:child_process'
import t from 'tap'
import { CLI } from '../support/paths.ts'
import { runCommand } from '../support/program.ts'

t.test('an owner from creation to removal', async (t) => {
  const dataDir = `${t.testdir()}/data`
  const run = async (...args: string[]) => await runCommand(dataDir, ['owners', ...args])
  t.match(await run('create', 'anna', '--plan', 'pro'), {
    code: 0, stdout: /^1\tanna\tpro\tno password\towner\trecordings as configured, /
  })
  t.match(await run('plan', 'anna', 'free'), { code: 0, stdout: /\tfree\t/ })
  t.match(await run('retention', 'anna', '--recordings', '7', '--transcripts', 'forever'), {
    code: 0, stdout: /recordings 7 days, transcripts forever/
  })
  t.match(await run('retention', 'anna', '--recordings', 'default'), { stdout: /recordings as configured, transcripts forever/ })
  t.match(await run('role', 'anna', 'administrator'), { code: 0, stdout: /\tadministrator\t/ })
  t.match(await run('role', 'anna', 'king'), { code: 1, stderr: /Allowed choices are owner, administrator/ })
  const setPassword = (input: string) => spawnSync(process.execPath, [CLI, 'owners', 'password', 'anna'], {
    env: { PATH: process.env['PATH'], STENOBOX_DATA_DIR: dataDir }, input, encoding: 'utf8'
  })
  t.match(setPassword('short\n'), { status: 1, stderr: /12 to 256 characters/ })
  t.match(setPassword('correct horse battery staple\n'), { status: 0, stdout: '', stderr: '' })
  const [listed] = JSON.parse((await run('list', '--json')).stdout) as unknown[]
  t.match(listed, { id: 1, name: 'anna', plan: 'free', role: 'administrator', hasPassword: true, transcriptDays: 0 })
  t.match(await run('password', 'anna', '--remove'), { code: 0 })
  t.match(await run('list'), { stdout: /\tno password\t/ })
  t.match(await run('remove', 'anna'), { code: 0, stdout: '' })
  t.match(await run('list'), { stdout: '' })
})

t.test('the person of the identity provider that signs in to an account', async (t) => {
  const dataDir = `${t.testdir()}/data`
  const provider = { STENOBOX_OAUTH_ISSUER: 'https://id.example', STENOBOX_OAUTH_AUDIENCE: 'steno' }
  const run = async (...args: string[]) => await runCommand(dataDir, ['owners', ...args], provider)
  for (const name of ['anna', 'bert']) await run('create', name)
  t.match(await run('identity', 'anna', 'a-1'), { code: 0, stdout: '', stderr: '' })
  t.match(await run('identity', 'bert', 'a-1'), { code: 1, stderr: /has another account here already/ })
  t.match(await run('identity', 'anna', '--remove'), { code: 0 })
  t.match(await run('identity', 'bert', 'a-1'), { code: 0 })
  t.match(await run('identity', 'bert'), { code: 1, stderr: /give either a subject or --remove/ })
  t.match(await run('identity', 'carl', 'c-1'), { code: 1, stderr: /there is no owner carl/ })
  t.match(await runCommand(dataDir, ['owners', 'identity', 'anna', 'a-2']), { code: 1, stderr: /set STENOBOX_OAUTH_ISSUER/ })
})

t.test('a failure is one sentence and exit code 1', async (t) => {
  const dataDir = `${t.testdir()}/data`
  await runCommand(dataDir, ['keys', 'create', '--name', 'laptop', '--owner', 'anna'])
  for (const [args, message] of [
    [['create', 'anna'], /^stenobox: There is already an owner with this name\.\n$/],
    [['plan', 'bob', 'pro'], /^stenobox: there is no owner bob; see: stenobox owners list\n$/],
    [['plan', 'anna', 'gold'], /Allowed choices are free/],
    [['retention', 'anna', '--recordings', '0'], /a number of days/],
    [['remove', 'anna'], /^stenobox: This owner has live API keys/]
  ] as const) t.match(await runCommand(dataDir, ['owners', ...args]), { code: 1, stdout: '', stderr: message }, args.join(' '))
})
