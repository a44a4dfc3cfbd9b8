/** `stenobox search` beside the running server. */
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'

t.test('search finds a transcript, with the filters of the HTTP interface', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const id = await client.uploadFile(AUDIO + 'en-3.mp3', { language: 'en' })
  t.match(await client.ended(id), { status: 'completed' })
  const { body } = await client.request<{ text: string }>('GET', `/api/v1/transcriptions/${id}`)
  const search = async (...filter: string[]) =>
    await runCommand(dataDir, ['search', body.data.text, '--min-score', '0', '--json', ...filter])
  const found = { code: 0, stdout: new RegExp(`"transcriptionId": ${id},`) }
  const nothing = { code: 0, stdout: '[]\n' }
  t.match(await search(), found)
  t.match(await search('--language', 'English', '--from', '2020-01-01', '--before', '2999-01-01T00:00:00Z'), found)
  t.match(await search('--language', 'de'), nothing)
  t.match(await search('--from', '2999-01-01'), nothing)
  t.match(await search('--before', '2020-01-01'), nothing)
  t.match(await search('--speaker', 'Nobody'), nothing)
  t.match(await search('--source', 'https://example.org/talk.mp3'), nothing)
  t.match(await search('--from', 'yesterday'), { code: 1, stderr: /Give a date or a time with its zone: 2026-11-22/ })
})
