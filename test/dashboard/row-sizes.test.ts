/** How high rows of a transcript will be. */
import t from 'tap'
import { estimateRows } from '../../src/dashboard/transcript/text/row-sizes.ts'

const LINE = 'x'.repeat(60)
const row = (lines: number, speaker?: string) => ({ text: LINE.repeat(lines), speaker })

t.test('by text and speaker; those that are not loaded are as high as the sample', async (t) => {
  const loaded = [row(1, 'Ada'), row(1, 'Ada'), row(3, 'Ada')]
  const [first = 0, second = 0, third = 0, missing = 0] = estimateRows([...loaded, undefined], loaded, 600)
  t.ok(first > second, 'a speaker is named')
  t.equal(third - second, 2 * 28, 'two lines more')
  t.equal(missing, (first + second + third) / 3)
  t.strictSame(estimateRows(loaded, loaded, 600), estimateRows(loaded, [], 600), 'the sample does not change what is loaded')
})

t.test('narrow lists have more lines', async (t) => {
  const [wide = 0] = estimateRows([row(4)], [], 1000)
  const [narrow = 0] = estimateRows([row(4)], [], 360)
  t.ok(narrow > wide)
})
