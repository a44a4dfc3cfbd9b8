/**
 * A day's work with the real program: run inside a network of its own by `scripts/air-gap.mjs`, which counts what leaves. Usage:
 * node test/support/day-of-work.ts
 */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { createClient } from './client.ts'
import { AUDIO } from './paths.ts'
import { runCommand, startServer } from './program.ts'
import { startReceiver } from './receiver.ts'

const FORMATS = ['txt', 'srt', 'vtt', 'json', 'md', 'docx']
const HERE = { STENOBOX_ALLOW_WEBHOOKS: '127.0.0.1', STENOBOX_ALLOW_SOURCES: '127.0.0.1' }

t.test('upload, transcribe, search, artifacts, exports, restart, webhooks', async (t) => {
  const dataDir = t.testdir()
  const receiver = await startReceiver(t)
  let server = await startServer(dataDir, HERE)
  t.teardown(async () => { await server.stop() })
  const key = server.firstKey ?? ''
  let client = createClient(server.address, key)

  const id = await client.uploadFile(AUDIO + 'dialogue.mp3', { language: 'en', webhookUrl: receiver.url })
  t.equal((await client.ended(id)).status, 'completed')
  await receiver.until(1)

  // Killed in the middle of the second recording; the next server goes on.
  const second = await client.uploadFile(AUDIO + 'en-3.mp3', { language: 'en' })
  await server.kill9()
  server = await startServer(dataDir, HERE)
  client = createClient(server.address, key)
  t.equal((await client.ended(second)).status, 'completed')

  const found = await client.request<unknown[]>('GET', '/api/v1/library/search?q=thank+you+for+coming&minScore=0')
  t.equal(found.status, 200)
  t.not(found.body.data.length, 0, 'search finds something')
  for (const mode of ['summary', 'chapters', 'quotes']) {
    t.equal((await client.request('POST', `/api/v1/transcriptions/${id}/${mode}`)).status, 200, mode)
  }
  t.equal((await client.request('POST', `/api/v1/transcriptions/${id}/repurpose`, { mode: 'blog' })).status, 200, 'blog')
  for (const format of FORMATS) {
    const reply = await fetch(`${server.origin}/api/v1/transcriptions/${second}/export?format=${format}`, {
      headers: { authorization: `Bearer ${key}` }
    })
    t.equal(reply.status, 200, format)
    t.not((await reply.arrayBuffer()).byteLength, 0, format)
  }
  t.equal((await fetch(`${server.origin}/docs/`)).status, 200, 'the pages of the documentation')

  // Private addresses that nobody allowed.
  const refused = await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', { sourceUrl: 'http://10.0.0.1/talk.mp3' })
  t.equal((await client.ended(refused.body.data.jobId)).failure?.code, 'source_blocked', 'a source in a private network')
  const hooked = await client.request('POST', '/api/v1/media/uploads/init', {
    fileName: 'a.wav', fileSize: 100, webhookUrl: 'http://192.168.1.1/hook'
  })
  t.equal(hooked.status, 400, 'a webhook in a private network is refused')
  t.equal(await server.stop(), 0)
  const transcribed = await runCommand(dataDir, ['transcribe', AUDIO + 'en-1.wav', '--language', 'en'])
  t.equal(transcribed.code, 0, 'stenobox transcribe')
  t.equal((await runCommand(dataDir, ['doctor'])).stderr, '', 'stenobox doctor')
})

t.test('with STENOBOX_OFFLINE=true, nobody is asked for the names that users give', async (t) => {
  const server = await startServer(t.testdir(), { STENOBOX_OFFLINE: 'true' })
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  const source = await client.request<{ jobId: number }>('POST', '/api/v1/media/ingest', { sourceUrl: 'https://example.org/talk.mp3' })
  if (source.status === 201) t.equal((await client.ended(source.body.data.jobId)).status, 'failed')
  const bytes = readFileSync(AUDIO + 'en-1.wav')
  const upload = await client.request<{ uploadId: string }>('POST', '/api/v1/media/uploads/init', {
    fileName: 'a.wav', fileSize: bytes.length, language: 'en', webhookUrl: 'https://example.org/hook'
  })
  t.match([400, 201], new Set([upload.status]), 'accepted without a delivery, or refused')
  const id = await client.upload(bytes, { language: 'en' })
  t.equal((await client.ended(id)).status, 'completed')
})
