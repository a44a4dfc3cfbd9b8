import t from 'tap'
import { medianOf, ratioOf, timeRounds, toRoundTable } from '../../dist/evaluate/rounds.js'

t.test('rounds alternate, and each way is measured by itself', async (t) => {
  const order: string[] = []
  const way = (name: string, words: number) => ({ name, pids: [process.pid], run: async () => { order.push(name); return { words } } })
  const lines: string[] = []
  const series = await timeRounds('work', [way('ours', 5), way('theirs', 7)], 2, (line) => lines.push(line))
  t.strictSame(order, ['ours', 'theirs', 'ours', 'theirs'])
  t.match(series, { work: 'work', ways: ['ours', 'theirs'], rounds: [[{ words: 5 }, { words: 7 }], [{ words: 5 }, { words: 7 }]] })
  t.match(lines, [/^work, round 1: ours \d.* s, theirs \d.* s$/, /round 2/])
  t.equal(ratioOf(series, 'theirs', 'words'), 1.4)
})

t.test('medians, and ratios to the first way', async (t) => {
  const timed = (seconds: number, processorSeconds: number) => ({ seconds, processorSeconds, othersShare: 0.25 })
  const rounds = [[timed(1, 2), timed(4, 4)], [timed(2, 2), timed(2, 6)], [timed(3, 2), timed(9, 5)]]
  const series = { work: 'work', ways: ['ours', 'theirs'], rounds }
  t.equal(medianOf(series, 'ours', 'seconds'), 2)
  t.equal(ratioOf(series, 'theirs'), 2)
  t.equal(ratioOf(series, 'theirs', 'processorSeconds'), 2.5)
  t.ok(Number.isNaN(medianOf(series, 'nobody', 'seconds')))
  t.ok(Number.isNaN(medianOf(series, 'ours', 'peakBytes')), 'what is not told has no median')
  t.strictSame(toRoundTable('title', series).rows[0], [1, '1.00 s (25.0 %)', '4.00 s (25.0 %)'])
})
