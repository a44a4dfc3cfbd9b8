import t from 'tap'
import { parseJobOptions, parseJobWebhook } from '../../dist/domain/submission.js'

t.test('options that are left out get their defaults', async (t) => {
  t.strictSame(parseJobOptions({}), { sttQuality: 'balanced' })
  t.strictSame(parseJobOptions({ language: 'auto', options: { prompt: '' } }), { sttQuality: 'balanced' })
})

t.test('options are cleaned: a language becomes its code, terms lose extra spaces', async (t) => {
  const options = { sttQuality: 'fast', terms: [' Ada  Lovelace ', 'Ada Lovelace'], prompt: 'x'.repeat(2000), channels: 'separate' }
  t.strictSame(parseJobOptions({ language: 'German', options }), {
    language: 'de', sttQuality: 'fast', terms: ['Ada Lovelace'], prompt: 'x'.repeat(2000), channels: 'separate'
  })
})

t.test('options that are not valid are refused, and the sentence names the field', async (t) => {
  const bad: Array<[Parameters<typeof parseJobOptions>[0], RegExp]> = [
    [{ language: '' }, /^language: must NOT have fewer than 1 characters$/],
    [{ language: 'x'.repeat(65) }, /^language: must NOT have more than 64 characters$/],
    [{ language: 'klingon' }, /^language: not a language/],
    [{ options: { sttQuality: 'best' } }, /^options\.sttQuality: must be one of fast, balanced, accurate$/],
    [{ options: { channels: 'left' } }, /^options\.channels: must be one of auto, separate, mixed$/],
    [{ options: { prompt: 'x'.repeat(2001) } }, /^options\.prompt: must NOT have more than 2000 characters$/],
    [{ options: { terms: ['x'.repeat(65)] } }, /^Each of the terms must have 1 to 64 characters/]
  ]
  for (const [request, message] of bad) t.throws(() => parseJobOptions(request), { code: 'invalid_request', message })
})

t.test('a webhook of one job: none, with a given secret, and with a new one', async (t) => {
  t.equal(parseJobWebhook({}), undefined)
  t.strictSame(parseJobWebhook({ webhookUrl: 'https://example.org', webhookSecret: 's' }), { url: 'https://example.org', secret: 's' })
  t.match(parseJobWebhook({ webhookUrl: 'https://example.org' }), { secret: /^whsec_/ })
})

t.test('a webhook that is not valid is refused, and the sentence names the field', async (t) => {
  const webhookUrl = 'https://example.org'
  const bad: Array<[Parameters<typeof parseJobWebhook>[0], RegExp]> = [
    [{ webhookSecret: 's' }, /^webhookSecret: needs a webhookUrl\.$/],
    [{ webhookUrl, webhookSecret: '' }, /^webhookSecret: must NOT have fewer/],
    [{ webhookUrl, webhookSecret: 's'.repeat(257) }, /^webhookSecret: must NOT have more than 256/],
    [{ webhookUrl: '' }, /^webhookUrl: must NOT have fewer/],
    [{ webhookUrl: webhookUrl + '/'.repeat(2048) }, /^webhookUrl: must NOT have more than 2048/]
  ]
  for (const [request, message] of bad) t.throws(() => parseJobWebhook(request), { code: 'invalid_request', message })
})
