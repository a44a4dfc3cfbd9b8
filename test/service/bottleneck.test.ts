import t from 'tap'
import { createBottleneckWatch } from '../../dist/service/bottleneck.js'
import type { Pressure } from '../../dist/domain/pressure.js'

const MINUTE_MS = 60_000
const NONE: Pressure = { memory: 0, disk: 0, kills: 0 }

/** A watch that looks once a minute. `look` returns what it logged. */
function open () {
  const lines: string[] = []
  const state = { pressure: NONE, isBusy: true, nowMs: 0 }
  const log = { info () {}, error () {}, warn: (_: object, message: string) => { lines.push(message) } }
  const watch = createBottleneckWatch({
    readPressure: async () => state.pressure, isBusy: () => state.isBusy, log, now: () => state.nowMs
  })
  const look = async (pressure: Partial<Pressure>): Promise<string[]> => {
    state.pressure = { ...NONE, ...pressure }
    state.nowMs += MINUTE_MS
    await watch.sweep()
    return lines.splice(0)
  }
  return { state, look }
}

t.test('waiting for memory is said with what to do', async (t) => {
  const { look } = open()
  t.strictSame(await look({ memory: 0.05, disk: 0.1 }), [])
  t.match(await look({ memory: 0.3 }), [/memory is the bottleneck: lower STENOBOX_WORKERS, use a smaller model/])
})

t.test('waiting for the disk is said with what to do; memory goes first', async (t) => {
  const { look } = open()
  t.match(await look({ memory: 0.3, disk: 0.5 }), [/^memory/])
  t.match(await look({ disk: 0.5 }), [/disk is the bottleneck: put the data directory on a faster disk/])
})

t.test('once an hour', async (t) => {
  const { look } = open()
  let lines = 0
  for (let minute = 0; minute < 180; minute++) lines += (await look({ disk: 0.5 })).length
  t.equal(lines, 3)
})

t.test('a program that was ended for memory', async (t) => {
  const { look } = open()
  t.strictSame(await look({ kills: 7 }), [], 'before we started')
  t.strictSame(await look({ kills: 7 }), [])
  t.match(await look({ kills: 8 }), [/^memory/])
})

t.test('nothing is said while no work runs, or where the system does not count', async (t) => {
  const { state, look } = open()
  t.strictSame(await look({ memory: undefined, disk: undefined, kills: undefined }), [])
  state.isBusy = false
  t.strictSame(await look({ memory: 0.9, disk: 0.9, kills: 5 }), [])
  state.isBusy = true
  t.strictSame(await look({ kills: 5 }), [], 'the program was ended earlier')
})
