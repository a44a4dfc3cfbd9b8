import t from 'tap'
import { createErasing } from '../../dist/service/erasing.js'

/** A file of three stretches, `busy` for the next so many tries. */
function open ({ busy = 0, tryMs = 0, ...rest }: { busy?: number, tryMs?: number, pending?: number | undefined }) {
  const calls: Array<string | number> = []
  const lines: string[] = []
  const waits: number[] = []
  let left = busy
  let clock = 0
  let now: number | undefined = 'pending' in rest ? rest.pending : 7
  const erasure = {
    findPending: () => now,
    setCleared (cleared: number): void {
      calls.push(`cleared ${cleared}`)
      now = undefined
    },
    mergeTerms (step: 'begin' | 'continue') {
      calls.push(step)
      return step === 'begin' ? 'more' as const : 'done' as const
    },
    clear (first: number) {
      if (left > 0) {
        left--
        return 'busy' as const
      }
      calls.push(first)
      clock += tryMs
      return { next: first === 3 ? undefined : first + 1 }
    },
    truncateLog (): boolean {
      calls.push('truncated')
      return true
    }
  }
  const note = (_: object, line: string): void => { lines.push(line) }
  const erasing = createErasing({
    erasure,
    log: { info: note, warn: note, error: note },
    pause: async (ms, signal) => {
      await null
      signal.throwIfAborted()
      waits.push(ms)
      clock += ms
    },
    now: () => clock
  })
  const remove = (deletion: number): void => {
    now = deletion
    erasing.request()
  }
  return { erasing, calls, lines, waits, remove }
}

t.test('every stretch is cleared, then the deletion is marked as cleared and the log is emptied', async (t) => {
  const { erasing, calls } = open({ busy: 3 })
  await Promise.all([erasing.sweep(), erasing.sweep()])
  t.strictSame(calls, ['begin', 'continue', 1, 2, 3, 'cleared 7', 'truncated'], 'once for two calls')
})

t.test('nothing is read when nothing was deleted', async (t) => {
  const { erasing, calls } = open({ pending: undefined })
  await erasing.sweep()
  t.strictSame(calls, [])
})

t.test('a database that stays busy is left for the next sweep, with a warning', async (t) => {
  const { erasing, calls, lines } = open({ busy: 250 })
  await erasing.sweep()
  t.strictSame(calls, ['begin', 'continue'])
  t.match(lines, [/another program keeps reading/])
  await erasing.sweep()
  t.match(calls.slice(2), ['begin', 'continue', 1, 2, 3, 'cleared 7'])
})

t.test('after a pass, the next one waits four times as long, however many deletions there are', async (t) => {
  const { erasing, calls, waits, remove } = open({ tryMs: 1000 })
  await erasing.sweep()
  const passMs = 3000 + waits.reduce((sum, ms) => sum + ms, 0)
  calls.length = waits.length = 0
  for (const deletion of [8, 9, 10]) remove(deletion)
  while (!calls.includes('truncated')) await null
  t.strictSame(calls, ['begin', 'continue', 1, 2, 3, 'cleared 10', 'truncated'], 'one pass for all')
  t.strictSame(waits.slice(0, 2), [1000, 4 * passMs - 1000])
})

t.test('a stop ends a pass between two steps', async (t) => {
  const { erasing, calls, lines } = open({})
  const sweeping = erasing.sweep()
  await erasing.stop()
  await sweeping
  t.strictSame(calls, ['begin'])
  erasing.request()
  await erasing.stop()
  t.strictSame(lines, [], 'and that is no error')
})
