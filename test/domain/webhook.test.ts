import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import { Value } from 'typebox/value'
import {
  describeEnd,
  describeTest,
  generateMessageId,
  generateSecret,
  nextDueAt,
  parseRetryAfter,
  SCHEDULE_MS,
  signedHeaders,
  WebhookPayload
} from '../../dist/domain/webhook.js'
import { START_MS } from '../support/clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const ENDED = {
  id: 42,
  fileName: 'Grüße.mp3',
  language: 'jw',
  durationMs: 2730,
  failureCode: undefined,
  retryCount: 1,
  completedAt: START_MS
} as const

t.test('the payload of a completed and of a failed job', async (t) => {
  const completed = {
    transcriptionId: 42,
    status: 'completed',
    fileName: 'Grüße.mp3',
    language: 'jv',
    duration: 2.73,
    completedAt: '2026-01-01T00:00:00.000Z',
    retryCount: 1
  }
  t.strictSame(describeEnd(ENDED), { event: 'transcription.completed', data: completed })
  t.strictSame(describeEnd({ ...ENDED, language: undefined, durationMs: undefined, failureCode: 'no_audio_stream' }), {
    event: 'transcription.failed',
    data: {
      ...completed,
      status: 'failed',
      language: null,
      duration: null,
      failure: { code: 'no_audio_stream', message: 'The file has no sound track.' }
    }
  })
})

t.test('a test event is like a real one, under any name', async (t) => {
  t.match(describeTest('webhook.test', START_MS), {
    event: 'webhook.test',
    data: { transcriptionId: 0, status: 'completed', completedAt: '2026-01-01T00:00:00.000Z' }
  })
  t.match(describeTest('transcription.failed', START_MS), {
    event: 'transcription.failed',
    data: { status: 'failed', failure: { code: /./, message: /./ } }
  })
  for (const event of ['webhook.test', 'transcription.completed', 'transcription.failed', 'x']) {
    t.ok(Value.Check(WebhookPayload, describeTest(event, START_MS)))
  }
})

t.test('after the first attempt there are five: after 1 min, 5 min, 30 min, 2 h and 12 h', async (t) => {
  t.strictSame(SCHEDULE_MS, [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS])
  t.strictSame([1, 2, 3, 4, 5, 6].map((failures) => nextDueAt(failures, 1000)), [...SCHEDULE_MS.map((ms) => 1000 + ms), undefined])
})

t.test('a receiver may ask for a later attempt, not for an earlier one, and not for one in a year', async (t) => {
  t.equal(nextDueAt(1, 0, 10 * MINUTE_MS), 10 * MINUTE_MS)
  t.equal(nextDueAt(2, 0, MINUTE_MS), 5 * MINUTE_MS)
  t.equal(nextDueAt(1, 0, 365 * 24 * HOUR_MS), 24 * HOUR_MS)
  t.equal(nextDueAt(6, 0, MINUTE_MS), undefined, 'there is no seventh')
})

t.test('Retry-After is seconds or a date', async (t) => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  for (const [header, expected] of [
    ['120', 120_000],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
    ['Saturday, 21-Nov-26 10:02:00 GMT', 120_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Sat, 99 Nov 2026 10:02:00 GMT', undefined],
    ['2027', 2_027_000]
  ] as const) { t.equal(parseRetryAfter(header, now), expected, String(header)) }
})

t.test('secrets and message ids are new every time, in the form of Standard Webhooks', async (t) => {
  t.match(generateSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/)
  t.not(generateSecret(), generateSecret())
  t.match(generateMessageId(), /^msg_[\w-]{24}$/)
  t.not(generateMessageId(), generateMessageId())
})

t.test('the verifiers of Standard Webhooks and Svix take our secrets as they are, and others as raw', async (t) => {
  const body = JSON.stringify(describeEnd(ENDED))
  const raw = ['a', 'my secret', 'whsec_', 'whsec_not base64', 'whsec_YWJj\n', 'whsec_YWJ', 'x'.repeat(256), 'YWJjZA==', 'Grüße ✓']
  // Read once: the verifiers compare with the clock of the machine, give or take five minutes.
  const sentMs = Date.now()
  const otherTime = { 'webhook-timestamp': String(Math.floor(sentMs / 1000) - 1) }
  for (const secret of [generateSecret(), 'whsec_YWJjZA==', ...raw]) {
    const headers = signedHeaders(secret, 'msg_1', body, sentMs)
    const bytes = new TextEncoder().encode(secret)
    for (const Verifier of [Webhook, SvixWebhook]) {
      const verifier = raw.includes(secret) ? new Verifier(bytes, { format: 'raw' }) : new Verifier(secret)
      t.doesNotThrow(() => verifier.verify(body, headers), secret)
      t.throws(() => verifier.verify(body + ' ', headers), 'another body')
      t.throws(() => verifier.verify(body, { ...headers, 'webhook-id': 'msg_2' }), 'another id')
      t.throws(() => verifier.verify(body, { ...headers, ...otherTime }), 'another time')
    }
  }
})

t.test('the plain signature is the hex HMAC-SHA256 of the body with the secret as it is written', async (t) => {
  function isFromUs (secret: string, body: string, signature: string): boolean {
    const expected = createHmac('sha256', secret).update(body).digest()
    const given = Buffer.from(signature, 'hex')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  for (const secret of [generateSecret(), 'my secret', 'Grüße ✓']) {
    const { 'x-service-signature': signature = '' } = signedHeaders(secret, 'msg_1', '{"a":"ü"}', 0)
    t.match(signature, /^[0-9a-f]{64}$/)
    t.ok(isFromUs(secret, '{"a":"ü"}', signature))
    t.notOk(isFromUs(secret + 'x', '{"a":"ü"}', signature))
    t.notOk(isFromUs(secret, '{"a":"u"}', signature))
  }
})
