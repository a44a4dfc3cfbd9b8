import { mock } from 'node:test'
import t from 'tap'
import { createSweep } from '../../dist/work/sweep.js'

t.test('every place is swept at the start and every hour; a failure is logged and does not stop the others', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const swept: string[] = []
  const errors: string[] = []
  const place = (name: string) => ({ sweep: () => { swept.push(name) } })
  const broken = { sweep: async () => { throw new Error('no') } }
  const log = { info () {}, warn () {}, error: (_: object, message: string) => { errors.push(message) } }
  const sweep = createSweep({ places: [place('a'), broken, place('b')], log })
  sweep.start()
  await sweep.stop()
  t.strictSame(swept, ['a', 'b'])
  t.strictSame(errors, ['sweep failed'])
  sweep.start()
  mock.timers.tick(3_600_000)
  await sweep.stop()
  t.equal(swept.length, 6)
})

t.test('another interval', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  let sweeps = 0
  const sweep = createSweep({ places: [{ sweep: () => { sweeps++ } }], log: { info () {}, warn () {}, error () {} }, everyMs: 60_000 })
  sweep.start()
  mock.timers.tick(180_000)
  await sweep.stop()
  t.equal(sweeps, 4)
})
