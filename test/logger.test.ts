import { PassThrough } from 'node:stream'
import t from 'tap'
import { createClock } from './support/clock.ts'
import { createLogger } from '../dist/logger.js'

/** What one call writes, as text. */
function logged (fields: object, level = 'info'): string {
  const destination = new PassThrough()
  createLogger(level, destination).info(fields, 'something happened')
  return String(destination.read() ?? '')
}

const SECRET = 'hunter2'

t.test('a line is JSON with its fields and its message, and says nothing of the machine', async (t) => {
  const { time, ...rest } = JSON.parse(logged({ jobId: 7, window: 2 })) as Record<string, unknown>
  t.type(time, 'number')
  t.strictSame(rest, { level: 30, jobId: 7, window: 2, msg: 'something happened' })
})

t.test('what must not be in the log is left out, at the top and one below', async (t) => {
  for (const name of ['authorization', 'key', 'token', 'secret', 'signature', 'transcriptText', 'text', 'words', 'url']) {
    for (const fields of [{ [name]: SECRET }, { request: { [name]: SECRET, jobId: 7 } }]) {
      const line = logged(fields)
      t.notMatch(line, SECRET, JSON.stringify(fields))
      t.match(line, '[left out]')
    }
  }
})

t.test('a list of words is left out as a whole', async (t) => {
  t.notMatch(logged({ words: [{ word: SECRET }] }), SECRET)
  t.notMatch(logged({ segment: { words: [{ word: SECRET }] } }), SECRET)
})

t.test('the headers of a request that somebody logs are safe', async (t) => {
  t.notMatch(logged({ headers: { authorization: `Bearer ${SECRET}` } }), SECRET)
  t.notMatch(logged({ req: { headers: { authorization: `Bearer ${SECRET}` } } }), SECRET)
})

t.test('an error comes with its stack and its cause, without changing what was passed', async (t) => {
  const fields = { err: new Error('outer', { cause: new Error('inner') }), key: SECRET }
  const line = logged(fields)
  t.match(line, /outer/)
  t.match(line, /inner/)
  t.equal(fields.key, SECRET)
})

t.test('what is below the level is not written', async (t) => {
  t.equal(logged({ jobId: 7 }, 'warn'), '')
  t.equal(logged({ jobId: 7 }, 'silent'), '')
})

t.test('of one message, a hundred lines a minute are written; the rest is counted', async (t) => {
  const clock = createClock()
  const destination = new PassThrough()
  const log = createLogger('info', destination, clock.now)
  const readLines = (): Array<Record<string, unknown>> => String(destination.read() ?? '').split('\n').filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  for (let index = 0; index < 250; index++) log.error({ index }, 'request failed')
  log.info({}, 'another message')
  const lines = readLines()
  t.equal(lines.length, 101)
  t.match(lines.slice(-2), [{ index: 99, msg: 'request failed' }, { msg: 'another message' }])
  clock.advance(60_000)
  log.child({ requestId: 'x' }).error({ index: 250 }, 'request failed')
  log.error({ index: 251 }, 'request failed')
  t.match(readLines(), [{ index: 250, leftOut: 150, requestId: 'x' }, { index: 251, leftOut: undefined }])
  clock.advance(-3_600_000)
  log.error({ index: 252 }, 'request failed')
  t.match(readLines(), [{ index: 252 }], 'after the clock was set back')
})
