import t from 'tap'
import { compareTexts, formatDifference, listDifferences } from '../../../dist/evaluate/text/differences.js'

const show = (said: string, heard: string): string[] =>
  listDifferences(said.split(' '), heard.split(' ').filter(Boolean)).map(formatDifference)

t.test('neighbouring errors are one difference', async (t) => {
  t.strictSame(show('and ask not what', 'and ask not what'), [])
  t.strictSame(show('americans ask not what', 'americans thats not what'), ['ask → thats'])
  t.strictSame(show('one two three four', 'one four'), ['− two three'])
  t.strictSame(show('one two', 'oh one two three'), ['+ oh', '+ three'])
  t.strictSame(show('a b c d', 'a x y d'), ['b c → x y'])
  t.strictSame(show('a b c', ''), ['− a b c'])
})

t.test('errors of a joined recording belong to the part they are in', async (t) => {
  const parts = [{ name: 'one', said: ['a', 'b'] }, { name: 'silent', said: [] }, { name: 'two', said: ['c', 'd'] }]
  const heard = [
    { system: 'us', tokens: ['a', 'b', 'c', 'd'] },
    { system: 'them', tokens: ['a', 'x', 'c', 'd', 'e'] },
    { system: 'others', tokens: ['a', 'b', 'd'] }
  ]
  t.strictSame(compareTexts({ parts, heard }), [
    { file: 'one', system: 'them', differences: ['b → x'] },
    { file: 'two', system: 'them', differences: ['+ e'] },
    { file: 'two', system: 'others', differences: ['− c'] }
  ])
  t.strictSame(compareTexts({ parts: [], heard: [] }), [])
})
