import t from 'tap'
import { openDatabase } from '../../dist/store/database.js'
import { readSpoken, toSegments } from '../support/artifact-sources.ts'
import { addCompleted } from '../support/exports.ts'
import { runCommand } from '../support/program.ts'

t.test('summary, chapters and repurpose print what they make', async (t) => {
  const dataDir = `${t.testdir()}/data`
  openDatabase(dataDir).close()
  const talk = readSpoken('talk')
  const transcript = { fileName: 'talk.mp3', durationMs: talk.durationMs, segments: toSegments(talk.sentences) }
  const { id } = addCompleted(t, dataDir, 'default', transcript)
  const run = async (...args: string[]) => await runCommand(dataDir, args)
  t.match(await run('chapters', String(id)), { code: 0, stdout: /^00:00 .+\n01:19 The garden behind our house\n/ })
  t.match(await run('summary', String(id)), { code: 0, stdout: /bread/ })
  t.match(await run('repurpose', String(id), '--mode', 'thread'), { code: 0, stdout: /^1\/\d+ Talk/ })
  t.match(await run('repurpose', String(id), '--mode', 'poem'), { code: 1, stderr: /Allowed choices/ })
  t.match(await run('summary', String(id), '--owner', 'bert'), { code: 1, stderr: /There is no owner "bert"/ })
  await run('owners', 'create', 'bert')
  t.match(await run('summary', String(id), '--owner', 'bert'), { code: 1, stderr: /There is no such transcription/ }, 'another owner')
  t.match(await run('search', 'bread', '--owner', 'Typo'), { code: 1, stderr: /There is no owner "Typo".*owners list/ })
  t.match(await run('speakers', 'list', String(id), '--owner', 'Typo'), { code: 1, stderr: /There is no owner "Typo"/ })
  t.notMatch(await run('owners', 'list'), { stdout: /Typo/ }, 'and none is made')
})
