/** kill -9 while a receiver is being told: after a restart it hears the same event again, and the job counts it once. */
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { startServer } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { waitFor } from '../support/wait.ts'

const SETTINGS = { STENOBOX_ALLOW_WEBHOOKS: '127.0.0.1' }
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwLpGHNBiuhDo='

t.test('an event that was under way when the appliance died is sent again, under the same id', async (t) => {
  const dataDir = t.testdir()
  const first = await startServer(dataDir, SETTINGS)
  const key = first.firstKey ?? ''
  // The first request is never answered: the appliance dies over it.
  const receiver = await startReceiver(t, (response, count) => { if (count > 1) response.writeHead(200).end() })
  const id = await createClient(first.address, key).uploadFile(AUDIO + 'en-1.wav', {
    language: 'en',
    webhookUrl: receiver.url,
    webhookSecret: SECRET
  })
  await receiver.until(1)
  await first.kill9()

  const second = await startServer(dataDir, SETTINGS)
  t.teardown(second.stop)
  await receiver.until(2)
  const client = createClient(second.address, key)
  t.equal((await client.ended(id)).status, 'completed')
  const [cut, taken] = receiver.received
  t.equal(taken?.headers['webhook-id'], cut?.headers['webhook-id'])
  t.equal(taken?.body, cut?.body)
  t.match(new Webhook(SECRET).verify(taken?.body ?? '', taken?.headers as Record<string, string>), {
    event: 'transcription.completed',
    data: { transcriptionId: id, status: 'completed', fileName: 'en-1.wav', language: 'en', retryCount: 0 }
  })
  const webhooks = await waitFor('the delivery', async () => {
    const { webhooks } = await client.job(id)
    return webhooks.pending === 0 && webhooks
  })
  t.strictSame(webhooks, { pending: 0, delivered: 1, failed: 0 })
  t.equal(await second.stop(), 0)
  t.equal(receiver.received.length, 2)
  const log = first.log() + second.log()
  for (const secret of [SECRET, receiver.url, String(taken?.headers['webhook-signature'])]) t.notMatch(log, secret, 'not in the log')
})

t.test('a stop lets what is under way end', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir, SETTINGS)
  const client = createClient(server.address, server.firstKey ?? '')
  let stopped: Promise<number | null> | undefined
  const receiver = await startReceiver(t, (response) => {
    stopped = server.stop()
    setTimeout(() => response.writeHead(200).end(), 200)
  })
  await client.uploadFile(AUDIO + 'en-1.wav', { language: 'en', webhookUrl: receiver.url })
  await receiver.until(1)
  t.equal(await stopped, 0)
  const again = await startServer(dataDir, SETTINGS)
  t.teardown(again.stop)
  t.strictSame((await createClient(again.address, server.firstKey ?? '').job(1)).webhooks, { pending: 0, delivered: 1, failed: 0 })
})
