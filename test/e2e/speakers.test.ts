/**
 * Speakers with the real engine: who speaks in a dialogue, kill -9 during the stage, and recordings that have little to tell.
 * STENOBOX_TEST_KILLS: how often the process is killed; 3 unless set.
 */
import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

const KILLS = Number(process.env['STENOBOX_TEST_KILLS'] ?? 3)

type Exported = { segments: Array<{ text: string, speaker?: string, words: Array<{ speaker?: string }> }> }
const speakersOf = ({ segments }: Exported): Array<string | undefined> =>
  segments.flatMap(({ words }) => words.map(({ speaker }) => speaker))

/** What the database says of the stage, read from outside. */
function look (dataDir: string): { running: number, pieces: number, attempts: number, completed: number } {
  const db = new Database(dataDir + '/app.db', { readonly: true })
  try {
    const count = (sql: string): number => (db.prepare(sql).get() as { n: number }).n
    return {
      running: count('SELECT count(*) AS n FROM work WHERE kind = \'speakers\' AND state = \'running\''),
      pieces: count('SELECT count(*) AS n FROM speaker_piece'),
      attempts: count('SELECT coalesce(sum(attempt), 0) AS n FROM work WHERE kind = \'speakers\''),
      completed: count('SELECT count(*) AS n FROM job WHERE status = \'completed\'')
    }
  } finally {
    db.close()
  }
}

const directory = t.testdir()

/** A recording made by ffmpeg. */
function make (name: string, ...args: string[]): string {
  const path = `${directory}/${name}`
  execFileSync('ffmpeg', ['-v', 'error', ...args, path])
  return path
}

/** A server of this test, and a client. */
async function serve (dataDir: string) {
  const server = await startServer(dataDir)
  const key = server.firstKey ?? ''
  return { server, key, client: createClient(server.address, key) }
}

async function readJson (address: string, key: string, id: number): Promise<Exported> {
  const url = new URL(`/api/v1/transcriptions/${id}/export?format=json`, address)
  return await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as Exported
}

/** The dialogue, as often as the kills need it: a piece of it is observed in a moment. */
const talk = make('talk.mp3', '-stream_loop', String(Math.floor(KILLS / 2) - 1), '-i', AUDIO + 'dialogue.mp3', '-c', 'copy')
/** The talk, transcribed by a process that nobody disturbs. */
let whole: Exported | undefined

t.test('two people, one, nobody; two seconds; the same sound in both channels; speakers that are not wanted', async (t) => {
  const { server, key, client } = await serve(`${directory}/library`)
  t.teardown(server.stop)
  const speak = AUDIO + 'en-1.wav'
  const recordings: Array<[path: string, speakers: boolean]> = [
    [AUDIO + 'dialogue.mp3', true], [speak, true], [make('silence.wav', '-f', 'lavfi', '-i', 'anullsrc=r=16000', '-t', '3'), true],
    [make('short.wav', '-t', '2', '-i', speak), true], [make('twice.wav', '-t', '4', '-i', speak, '-ac', '2'), true], [speak, false]
  ]
  const exports: Exported[] = []
  for (const [path, speakers] of recordings) await client.uploadFile(path, { language: 'en', options: { speakers } })
  for (const index of recordings.keys()) {
    t.equal((await client.ended(index + 1)).status, 'completed')
    exports.push(await readJson(server.address, key, index + 1))
  }
  const talkId = await client.uploadFile(talk, { language: 'en', options: { speakers: true } })
  t.equal((await client.ended(talkId)).status, 'completed')
  whole = await readJson(server.address, key, talkId)
  const [dialogue, one, silence, short, twice, unwanted] = exports.map((each) => [...new Set(speakersOf(each))])
  t.strictSame([dialogue, one, silence, twice, unwanted], [['Speaker 1', 'Speaker 2'], ['Speaker 1'], [], ['Speaker 1'], [undefined]])
  t.ok((short?.length ?? 0) <= 1, 'at most one speaker in two seconds')
  const turns = exports[0]?.segments
    .map(({ speaker }) => speaker)
    .filter((speaker, index, all) => index === 0 || speaker !== all[index - 1])
  t.equal(turns?.length, 16)
  const { body: { data } } = await client.request('GET', '/api/v1/transcriptions/1')
  t.match(data, { speakerCount: 2 })
  t.match((await client.request('GET', '/api/v1/transcriptions/3')).body.data, { speakerCount: 0 })
})

t.test('kill -9 during the stage changes no label and loses no transcript', async (t) => {
  const dataDir = `${directory}/killed`
  const first = await serve(dataDir)
  const { key } = first
  let { server } = first
  await first.client.uploadFile(talk, { language: 'en', options: { speakers: true } })
  let killed = 0
  for (; killed < KILLS; killed++) {
    const before = look(dataDir)
    await waitFor('a piece of the speakers', () => {
      const { running, pieces, attempts, completed } = look(dataDir)
      return completed > 0 || (running > 0 && (killed === 0 || attempts > before.attempts || pieces > before.pieces))
    }, { progress: () => look(dataDir) })
    if (look(dataDir).completed > 0) break
    await server.kill9()
    server = await startServer(dataDir)
  }
  t.ok(killed > 0, `killed ${killed} times`)
  const client = createClient(server.address, key)
  t.equal((await client.ended(1)).status, 'completed')
  t.strictSame((await readJson(server.address, key, 1)).segments, whole?.segments)
  t.equal(await server.stop(), 0)
})
