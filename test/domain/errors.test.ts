import BetterSqlite3 from 'better-sqlite3'
import t from 'tap'
import { AppError, FAILURE_MESSAGES, isNoRoom, JobFailure } from '../../dist/domain/errors.js'

t.test('no room is what the file system, a quota, a size limit or SQLite says', async (t) => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']) t.equal(isNoRoom(Object.assign(new Error('x'), { code })), true, code)
  for (const code of ['ENOENT', 'EACCES', 'SQLITE_BUSY', 'enospc', 28, undefined]) {
    t.equal(isNoRoom(Object.assign(new Error('x'), { code })), false, String(code))
  }
  for (const value of [undefined, null, 'ENOSPC', 28, { code: 'ENOSPC' }, new Error('ENOSPC: no space left on device')]) {
    t.equal(isNoRoom(value), false)
  }
})

t.test('a database that is really full is no room', async (t) => {
  const db = new BetterSqlite3(':memory:')
  t.teardown(() => { db.close() })
  db.exec('CREATE TABLE ballast (bytes BLOB) STRICT')
  db.pragma('max_page_count = 5')
  try {
    db.prepare('INSERT INTO ballast VALUES (zeroblob(100000))').run()
    t.fail('it fitted')
  } catch (error) {
    t.equal(isNoRoom(error), true, String(error))
  }
})

t.test('errors carry their code, their cause, and the headers they ask for', async (t) => {
  const cause = new Error('why')
  const error = new AppError('conflict', 'Not now.', { cause, headers: { 'retry-after': '5' } })
  t.match(error, { name: 'AppError', code: 'conflict', message: 'Not now.', cause, headers: { 'retry-after': '5' } })
  t.strictSame(new AppError('gone', 'x').headers, {})
  t.ok(error instanceof Error)
  t.match(new JobFailure('timeout', 'x', { cause }), { name: 'JobFailure', code: 'timeout', cause })
})

t.test('sentences for people hold no path, no address and no name of a program', async (t) => {
  for (const [code, message] of Object.entries(FAILURE_MESSAGES)) {
    t.match(message, /^[A-Z].*[.a-z]$/, code)
    t.notMatch(message, /[/\\]|https?:|ffmpeg|ffprobe|sqlite|whisper/i, code)
  }
})
