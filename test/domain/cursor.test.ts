import t from 'tap'
import { parseCursor, toCursor } from '../../dist/domain/cursor.js'

t.test('a cursor comes back as the id it was made of, and fits a query as it is', async (t) => {
  for (const id of [1, 42, Number.MAX_SAFE_INTEGER]) {
    t.match(toCursor(id), /^[\w-]+$/)
    t.equal(parseCursor(toCursor(id)), id)
  }
})

t.test('anything else is refused', async (t) => {
  const encode = (text: string): string => Buffer.from(text).toString('base64url')
  const bad = [
    '',
    '1',
    'x',
    '%',
    ' ',
    '\0',
    encode('1'),
    encode('after'),
    encode('after x'),
    encode('after -1'),
    encode('after 1.5'),
    encode('after 01'),
    encode(' after 1'),
    encode('after 1 '),
    encode(`after ${2 ** 53}`),
    encode('after 99999999999999999999'),
    toCursor(1) + '=',
    toCursor(1) + 'A',
    ' ' + toCursor(1)
  ]
  for (const cursor of bad) {
    t.throws(() => parseCursor(cursor), { name: 'AppError', code: 'invalid_request', message: /^cursor: / }, JSON.stringify(cursor))
  }
})
