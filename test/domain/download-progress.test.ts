import t from 'tap'
import { createRateMeter, describeTransfer, formatBytes, formatSeconds } from '../../dist/domain/download-progress.js'
import { createClock } from '../support/clock.ts'

t.test('sizes and times are short', async (t) => {
  t.strictSame([0, 1023, 1024, 147_951_465, 3_095_033_483, 2 ** 60].map(formatBytes), [
    '0 bytes',
    '1023 bytes',
    '1.0 KiB',
    '141.1 MiB',
    '2.9 GiB',
    '1048576.0 TiB'
  ])
  t.strictSame([0.2, 59, 61, 3599, 12_000].map(formatSeconds), ['1 s', '59 s', '1 min', '1 h 0 min', '3 h 20 min'])
})

t.test('a rate is the mean over the last ten seconds', async (t) => {
  const clock = createClock()
  const meter = createRateMeter(clock.now)
  t.equal(meter.bytesPerSecond(), undefined)
  meter.record(1_000_000)
  clock.advance(100)
  meter.record(1_001_000)
  t.equal(meter.bytesPerSecond(), undefined, 'too early to tell')
  clock.advance(900)
  meter.record(1_010_000)
  t.equal(meter.bytesPerSecond(), 10_000, 'what was there before is not counted')
  clock.advance(9_500)
  meter.record(1_010_950)
  t.equal(Math.round(meter.bytesPerSecond() ?? 0), 100, 'what is long ago is forgotten')
  meter.record(5)
  t.equal(meter.bytesPerSecond(), undefined, 'a new beginning')
})

t.test('a transfer is described with what is known', async (t) => {
  t.equal(describeTransfer(1024, undefined, undefined), '1.0 KiB')
  t.equal(describeTransfer(1024, 4096, undefined), '1.0 KiB of 4.0 KiB')
  t.equal(describeTransfer(1024, 4096, 1024), '1.0 KiB of 4.0 KiB, 1.0 KiB/s, 3 s left')
})
