import t from 'tap'
import { runCommand } from '../support/program.ts'

t.test('the list of an owner, from first to last', async (t) => {
  const dataDir = `${t.testdir()}/data`
  const run = async (...args: string[]) => await runCommand(dataDir, ['terms', ...args])
  t.match(await run('list'), { code: 0, stdout: '' })
  t.match(await run('add', 'Dashwood', ' Ada  Lovelace '), { code: 0, stdout: 'Dashwood\nAda Lovelace\n' })
  t.match(await run('add', 'Dashwood', 'metformin'), { code: 0, stdout: 'Dashwood\nAda Lovelace\nmetformin\n' })
  t.match(await run('remove', 'Dashwood', 'nobody'), { code: 0, stdout: 'Ada Lovelace\nmetformin\n' })
  t.match(await run('add', 'Bert', '--owner', 'bert'), { code: 1, stderr: /There is no owner "bert"/ }, 'a typing error makes no owner')
  await runCommand(dataDir, ['owners', 'create', 'bert'])
  t.match(await run('add', 'Bert', '--owner', 'bert'), { code: 0, stdout: 'Bert\n' })
  t.match(await run('list'), { code: 0, stdout: 'Ada Lovelace\nmetformin\n' })
  t.match(await run('add', 'x'.repeat(65)), { code: 1, stderr: /^stenobox: Each of the terms must have 1 to 64 characters/ })
  t.match(await run('list', '--owner', 'bert'), { code: 0, stdout: 'Bert\n' })
})
