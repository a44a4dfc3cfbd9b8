import { mock } from 'node:test'
import t from 'tap'
import { createSweep } from '../../dist/jobs/sweep.js'

t.test('uploads and the log of requests are swept at start and every hour', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const swept: string[] = []
  const log = { info () {}, warn () {}, error () {} }
  const sweep = createSweep({ uploads: { sweep: async () => { swept.push('uploads') } }, usage: { sweep: () => { swept.push('usage') } }, log })
  sweep.start()
  await sweep.stop()
  t.strictSame(swept, ['uploads', 'usage'])
  sweep.start()
  mock.timers.tick(3_600_000)
  await sweep.stop()
  t.equal(swept.length, 6)
})
