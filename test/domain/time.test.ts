import t from 'tap'
import { parseTime } from '../../dist/domain/time.js'

t.test('dates and date-times of RFC 3339', async (t) => {
  t.equal(parseTime('2026-11-22'), Date.UTC(2026, 10, 22), 'a date begins in UTC')
  t.equal(parseTime('2024-02-29'), Date.UTC(2024, 1, 29))
  t.equal(parseTime('2026-11-22T09:30:00Z'), Date.UTC(2026, 10, 22, 9, 30))
  t.equal(parseTime('2026-11-22t09:30:00.250z'), Date.UTC(2026, 10, 22, 9, 30, 0, 250))
  t.equal(parseTime('2026-11-22T10:30:00+01:00'), Date.UTC(2026, 10, 22, 9, 30))
})

t.test('other texts are refused, also where JavaScript would guess a time', async (t) => {
  const wrong = [
    '', '2026', '22 November 2026', 'Nov 22, 2026', '2026-11', '2026-13-01', '2026-02-30', '2025-02-29', '2026-11-22 09:30:00Z',
    '2026-11-22T09:30Z', '2026-11-22T09:30:00', '2026-11-22T24:00:00Z', '2026-11-22T09:60:00Z', '2026-11-22T10:30:00 01:00', '1763800000000'
  ]
  for (const text of wrong) t.equal(parseTime(text), undefined, text)
})
