/** After a deletion, no file of the data directory contains a word of the transcript, its file name or its title. */
import { copyFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { scanFor, wordsOf } from '../support/scan.ts'
import { serveFolder, startSources } from '../support/source-server.ts'
import { waitFor } from '../support/wait.ts'

const FEED = (episode: string): string => `<rss version="2.0"><channel><title>Vixenpodcast</title><item>
  <title>Quaggatitle of the week</title><guid>1</guid><enclosure url="${episode}" type="audio/mpeg" length="1"/></item></channel></rss>`

const EDITED = ['Walrustitle', 'Ocelottag', 'Axolotledit', 'Pangolinedit']

t.test('of deleted recordings nothing is found, and of the others everything', async (t) => {
  const root = t.testdir({ www: {}, data: {} })
  const dataDir = `${root}/data`
  const sources = await startSources(t, serveFolder(`${root}/www`))
  copyFileSync(`${AUDIO}en-3.mp3`, `${root}/www/en-3.mp3`)
  writeFileSync(`${root}/www/feed.xml`, FEED(`${sources.url}en-3.mp3`))
  const receiver = await startReceiver(t, (response) => { response.writeHead(500).end() })
  const settings = { STENOBOX_ALLOW_SOURCES: sources.host, STENOBOX_ALLOW_WEBHOOKS: new URL(receiver.url).host }
  let server = await startServer(dataDir, settings)
  t.teardown(async () => await server.stop())
  const key = server.firstKey ?? ''
  let client = createClient(server.address, key)

  const init = await fetch(`${server.address}/api/v1/media/uploads/init`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'once' },
    body: JSON.stringify({ fileName: 'Abandonedlynx.wav', fileSize: 10 })
  })
  const { data: abandoned } = await init.json() as { data: { uploadId: string } }
  const webhook = { webhookUrl: receiver.url, webhookSecret: 'x'.repeat(32) }
  const uploaded = await client.uploadFile(`${AUDIO}en-1.wav`, { fileName: 'Zebrafile.wav', ...webhook })
  const { body: { data: { jobId: fetched } } } =
    await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', { sourceUrl: `${sources.url}feed.xml`, ...webhook })
  const retained = await client.uploadFile(`${AUDIO}de-1.m4a`, { fileName: 'Marmotfile.m4a' })
  const texts = new Map<number, string>()
  for (const id of [uploaded, fetched, retained]) texts.set(id, (await client.ended(id)).transcriptText ?? '')
  await receiver.until(2)

  // What people add: a title, a tag, an edit that is undone, and one that stays.
  const own = `/api/v1/transcriptions/${uploaded}`
  t.match(await client.request('PATCH', own, { title: 'Walrustitle', tags: ['Ocelottag'] }), { status: 200 })
  const { body: { data: { segments: [segment] } } } =
    await client.request<{ segments: Array<{ id: string }> }>('GET', `${own}/segments`)
  const edit = async (text: string, base: number) => await client.request('PATCH', `${own}/segments/${segment?.id}`, { text, base })
  t.match(await edit('Axolotledit', 0), { status: 200 })
  t.match(await client.request('POST', `${own}/undo`, {}), { status: 200 })
  t.match(await edit('Pangolinedit', 2), { status: 200 })

  const others = new Set(wordsOf(texts.get(retained)))
  const empty = `${root}/empty`
  await (await startServer(empty)).stop()
  const isTelling = (word: string): boolean => !others.has(word) && Object.keys(scanFor(empty, [word])).length === 0
  const gone = [uploaded, fetched].map((id) => wordsOf(texts.get(id)).filter(isTelling))
  const [uploadWords = [], fetchWords = []] = gone
  const uploadTraces = [...uploadWords.filter((word) => !fetchWords.includes(word)), 'Zebrafile', 'Abandonedlynx', ...EDITED]
  const fetchTraces = [...fetchWords, 'Quaggatitle', 'feed.xml']
  t.ok(uploadTraces.length > 5 && fetchTraces.length > 5, `${uploadTraces.length} and ${fetchTraces.length} words`)
  t.strictSame(Object.keys(scanFor(dataDir, [...uploadTraces, ...fetchTraces])), [...uploadTraces, ...fetchTraces], 'the scan finds all')

  t.match(await client.request('DELETE', `/api/v1/media/uploads/${abandoned.uploadId}`), { status: 200 })
  t.match(await client.request('DELETE', `/api/v1/transcriptions/${uploaded}`), { status: 200 })
  await waitFor('the clearing', () => Object.keys(scanFor(dataDir, uploadTraces)).length === 0)
  t.strictSame(Object.keys(scanFor(dataDir, fetchTraces)), fetchTraces, 'the other recording is there')

  t.match(await client.request('DELETE', `/api/v1/transcriptions/${fetched}`), { status: 200 })
  await server.kill9()
  server = await startServer(dataDir, settings)
  client = createClient(server.address, key)
  await waitFor('the clearing after a crash', () => Object.keys(scanFor(dataDir, [...fetchTraces, ...uploadTraces])).length === 0)
  t.equal((await client.job(retained)).transcriptText, texts.get(retained))
  t.ok(Object.keys(scanFor(dataDir, ['Marmotfile', ...others])).length > 5)
  for (const trace of [...uploadTraces, ...fetchTraces]) t.notOk(server.log().includes(trace), 'nor does the log say it')
})
