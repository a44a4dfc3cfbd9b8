import t from 'tap'
import { countWordErrors, errorsOf, rateOf, splitWords, sumWordErrors } from '../../../dist/evaluate/text/wer.js'

t.test('case, punctuation and Unicode form make no difference', async (t) => {
  t.strictSame(splitWords('  Hello, WORLD! "It\'s" — fine… '), ['hello', 'world', 'its', 'fine'])
  t.strictSame(splitWords('¿Cómo estás? ¡Año nuevo!'), ['cómo', 'estás', 'año', 'nuevo'])
  t.strictSame(splitWords('Ma\u0308dchen, Straße; e-mail'), ['mädchen', 'straße', 'e', 'mail'])
  t.strictSame(splitWords("don't don’t 'quoted' rock 'n' roll"), ['dont', 'dont', 'quoted', 'rock', 'n', 'roll'])
  t.strictSame(splitWords('हिन्दी 3,5 % 你好。'), ['हिन्दी', '3', '5', '你好'])
  t.strictSame(splitWords(' … '), [])
})

t.test('an exact text has no errors', async (t) => {
  const errors = countWordErrors('The meeting starts at nine.', 'the meeting, starts at nine')
  t.strictSame(errors, { words: 5, substitutions: 0, deletions: 0, insertions: 0 })
  t.equal(rateOf(errors), 0)
})

t.test('substitutions, deletions and insertions are counted apart', async (t) => {
  t.strictSame(countWordErrors('a b c d', 'a x c d'), { words: 4, substitutions: 1, deletions: 0, insertions: 0 })
  t.strictSame(countWordErrors('a b c d', 'a c d'), { words: 4, substitutions: 0, deletions: 1, insertions: 0 })
  t.strictSame(countWordErrors('a b c d', 'a b b c d'), { words: 4, substitutions: 0, deletions: 0, insertions: 1 })
  t.strictSame(countWordErrors('a b c d e f', 'b x d e g f h'), { words: 6, substitutions: 1, deletions: 1, insertions: 2 })
})

t.test('every word of a missing or an invented text counts', async (t) => {
  t.strictSame(countWordErrors('one two three', ''), { words: 3, substitutions: 0, deletions: 3, insertions: 0 })
  const invented = countWordErrors('', 'thank you for watching')
  t.strictSame(invented, { words: 0, substitutions: 0, deletions: 0, insertions: 4 })
  t.equal(rateOf(invented), undefined, 'a rate over no words does not exist')
  t.equal(rateOf(countWordErrors('', '')), 0)
})

t.test('the count is the edit distance between the word lists', async (t) => {
  const letters = ['a', 'b', 'c']
  let seed = 1
  const draw = (): number => { seed = (seed * 48271) % 2147483647; return seed }
  for (let round = 0; round < 200; round++) {
    const [reference, hypothesis] = [0, 0].map(() =>
      Array.from({ length: draw() % 8 }, () => letters[draw() % 3] as string)) as [string[], string[]]
    const errors = countWordErrors(reference.join(' '), hypothesis.join(' '))
    t.equal(errorsOf(errors), distance(reference, hypothesis))
    t.equal(hypothesis.length - reference.length, errors.insertions - errors.deletions)
  }
})

t.test('files add up by words, not by rates', async (t) => {
  const sum = sumWordErrors([
    countWordErrors('a b c d e f g h i j', 'a b c d e f g h i j'), countWordErrors('a b', 'x y'), countWordErrors('', 'z')
  ])
  t.strictSame(sum, { words: 12, substitutions: 2, deletions: 0, insertions: 1 })
  t.equal(rateOf(sum), 0.25)
  t.strictSame(sumWordErrors([]), { words: 0, substitutions: 0, deletions: 0, insertions: 0 })
})

function distance (from: readonly string[], to: readonly string[]): number {
  if (from.length === 0 || to.length === 0) return from.length + to.length
  const rest = distance(from.slice(1), to.slice(1))
  if (from[0] === to[0]) return rest
  return 1 + Math.min(rest, distance(from.slice(1), to), distance(from, to.slice(1)))
}
