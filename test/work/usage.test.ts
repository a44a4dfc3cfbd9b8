import { mock } from 'node:test'
import t from 'tap'
import type { Test } from 'tap'
import { createUsageWriter } from '../../dist/work/usage.js'

/** A writer whose seconds pass when told. */
function open (t: Test, flush: () => void) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => { mock.timers.reset() })
  const warnings: string[] = []
  const log = { info () {}, warn (_: object, message: string) { warnings.push(message) }, error () {} }
  const writer = createUsageWriter({ usage: { flush }, log })
  writer.start()
  return { writer, warnings, pass: (seconds: number) => { mock.timers.tick(seconds * 1000) } }
}

t.test('usage is written every second and at the end', async (t) => {
  let writes = 0
  const { writer, pass } = open(t, () => { writes++ })
  pass(3)
  t.equal(writes, 3)
  writer.stop()
  pass(3)
  t.equal(writes, 4)
})

t.test('a full disk is logged once, and again when it fills up a second time', async (t) => {
  let isFull = true
  const { warnings, pass } = open(t, () => { if (isFull) throw new Error('full') })
  pass(5)
  t.equal(warnings.length, 1)
  isFull = false
  pass(1)
  isFull = true
  pass(1)
  t.equal(warnings.length, 2)
})
