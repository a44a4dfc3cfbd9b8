/**
 * After retention has deleted them, nothing of recordings and transcripts is found in the data directory. The program takes its time from
 * the system, so the rows get older instead.
 */
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import type { Settings } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { scanFor, wordsOf } from '../support/scan.ts'
import { serveFolder, startSources } from '../support/source-server.ts'
import { openStores } from '../support/store.ts'
import { waitFor } from '../support/wait.ts'

const DAY_MS = 24 * 3_600_000
const FEED = (episode: string): string => `<rss version="2.0"><channel><title>Vixenpodcast</title><item>
  <title>Quaggatitle of the week</title><guid>1</guid><enclosure url="${episode}" type="audio/mpeg" length="1"/></item></channel></rss>`

const count = (found: object): number => Object.keys(found).length

t.test('of recordings and transcripts that are too old nothing is found, and of the others everything', async (t) => {
  const root = t.testdir({ www: {}, data: {} })
  const dataDir = `${root}/data`
  const sources = await startSources(t, serveFolder(`${root}/www`))
  copyFileSync(`${AUDIO}en-3.mp3`, `${root}/www/en-3.mp3`)
  writeFileSync(`${root}/www/feed.xml`, FEED(`${sources.url}en-3.mp3`))
  const receiver = await startReceiver(t, (response) => { response.writeHead(500).end() })
  const settings = { STENOBOX_ALLOW_SOURCES: sources.host, STENOBOX_ALLOW_WEBHOOKS: new URL(receiver.url).host }
  let log = ''
  let server = await startServer(dataDir, settings)
  t.teardown(async () => await server.stop())
  const key = server.firstKey ?? ''
  const restart = async (more: Settings, work: () => void = () => {}): Promise<void> => {
    await server.stop()
    log += server.log()
    work()
    server = await startServer(dataDir, { ...settings, ...more })
  }
  let client = createClient(server.address, key)
  /** Uploads a recording that has a word among its bytes: after the sound, as MP4 keeps what is unused. */
  const upload = async (file: string, fileName: string, word: string): Promise<number> => {
    const size = Buffer.alloc(4)
    size.writeUInt32BE(8 + word.length)
    writeFileSync(`${root}/${fileName}`, Buffer.concat([readFileSync(AUDIO + file), size, Buffer.from(`free${word}`)]))
    return await client.uploadFile(`${root}/${fileName}`, { webhookUrl: receiver.url, webhookSecret: 'x'.repeat(32) })
  }
  const uploaded = await upload('en-1.wav', 'Zebrafile.wav', 'Capybarasound')
  const young = await upload('de-1.m4a', 'Marmotfile.m4a', 'Lemursound')
  const { body: { data: { jobId: fetched } } } =
    await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', { sourceUrl: `${sources.url}feed.xml` })
  const texts = new Map<number, string>()
  for (const id of [uploaded, young, fetched]) texts.set(id, (await client.ended(id)).transcriptText ?? '')
  await receiver.until(2)

  const own = `/api/v1/transcriptions/${uploaded}`
  t.match(await client.request('PATCH', own, { title: 'Walrustitle', tags: ['Ocelottag'] }), { status: 200 })
  const { body: { data: { segments: [segment] } } } =
    await client.request<{ segments: Array<{ id: string }> }>('GET', `${own}/segments`)
  t.match(await client.request('PATCH', `${own}/segments/${segment?.id}`, { text: 'Pangolinedit', base: 0 }), { status: 200 })

  const youngWords = new Set(wordsOf(texts.get(young)))
  const empty = `${root}/empty`
  await (await startServer(empty)).stop()
  const isTelling = (word: string): boolean => !youngWords.has(word) && count(scanFor(empty, [word])) === 0
  const words = [uploaded, fetched].flatMap((id) => wordsOf(texts.get(id)).filter(isTelling))
  const traces = [
    ...new Set(words), 'Zebrafile', 'Walrustitle', 'Ocelottag', 'Pangolinedit', 'Quaggatitle', 'feed.xml'
  ]
  t.ok(traces.length > 12, `${traces.length} words`)
  t.strictSame(Object.keys(scanFor(dataDir, [...traces, 'Capybarasound', 'Lemursound'])), [...traces, 'Capybarasound', 'Lemursound'])

  await restart({ STENOBOX_RETENTION_DAYS: '7' }, () => {
    const { db } = openStores(t, dataDir)
    for (const id of [uploaded, fetched]) {
      db.prepare('UPDATE job SET completed_at = completed_at - ? WHERE id = ?').run(8 * DAY_MS, id)
      db.prepare('UPDATE media SET created_at = created_at - ? WHERE id = (SELECT media_id FROM job WHERE id = ?)').run(8 * DAY_MS, id)
    }
    db.close()
  })
  await waitFor('the removal of recordings', () => readdirSync(`${dataDir}/media`).length === 1)
  t.strictSame(Object.keys(scanFor(dataDir, ['Capybarasound', 'Lemursound'])), ['Lemursound'], 'only the recording that is young')
  t.strictSame(Object.keys(scanFor(dataDir, traces)), traces, 'transcripts are retained longer than recordings')

  await restart({ STENOBOX_TRANSCRIPT_RETENTION_DAYS: '7' })
  await waitFor('the clearing', () => count(scanFor(dataDir, traces)) === 0)
  client = createClient(server.address, key)
  for (const id of [uploaded, fetched]) t.equal((await client.request('GET', `/api/v1/transcriptions/${id}`)).status, 404)
  t.equal((await client.job(young)).transcriptText, texts.get(young))
  t.ok(count(scanFor(dataDir, ['Marmotfile', 'Lemursound', ...youngWords])) > 5)
  log += server.log()
  for (const trace of traces) t.notOk(log.includes(trace), 'nor does the log say it')
})
