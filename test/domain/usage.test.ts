import t from 'tap'
import { dayAt, monthAt, quotaOf } from '../../dist/domain/usage.js'

const at = (iso: string): number => Date.parse(iso)
const shown = ({ startMs, endMs }: { startMs: number, endMs: number }): string[] =>
  [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 19))

t.test('a day is from midnight to midnight UTC', async (t) => {
  t.strictSame(shown(dayAt(at('2026-11-21T23:59:59.999Z'))), ['2026-11-21T00:00:00', '2026-11-22T00:00:00'])
  t.strictSame(shown(dayAt(at('2026-11-22T00:00:00.000Z'))), ['2026-11-22T00:00:00', '2026-11-23T00:00:00'])
})

t.test('a month is a calendar month, whatever its length', async (t) => {
  t.strictSame(shown(monthAt(at('2026-11-30T23:59:59.999Z'))), ['2026-11-01T00:00:00', '2026-12-01T00:00:00'])
  t.strictSame(shown(monthAt(at('2026-12-31T12:00:00Z'))), ['2026-12-01T00:00:00', '2027-01-01T00:00:00'])
  t.strictSame(shown(monthAt(at('2028-02-29T00:00:00Z'))), ['2028-02-01T00:00:00', '2028-03-01T00:00:00'])
})

t.test('nothing is left exactly when the limit is reached', async (t) => {
  const now = at('2026-11-21T23:00:00.500Z')
  const left = (limit: number, used: number): number => quotaOf(limit, used, dayAt(now), now).remaining
  t.strictSame([left(100, 0), left(100, 99), left(100, 99.9), left(100, 100), left(100, 250), left(0, 0)], [100, 1, 1, 0, 0, 0])
  t.match(quotaOf(100, 0, dayAt(now), now), { windowSeconds: 86_400, resetSeconds: 3600, resetAt: at('2026-11-22T00:00:00Z') })
})

t.test('waiting as long as it says is always enough', async (t) => {
  const midnight = at('2026-11-22T00:00:00Z')
  for (const now of [midnight - 1, midnight - 999, midnight - 1000, midnight - 1001]) {
    t.ok(now + quotaOf(1, 1, dayAt(now), now).resetSeconds * 1000 >= midnight)
  }
})
