import t from 'tap'
import { cleanTerms, mergeTerms, parseTerms } from '../../dist/domain/terms.js'

t.test('a list is kept in its order, composed, with single spaces, and no term twice', async (t) => {
  t.strictSame(cleanTerms(['  Ada \n Lovelace', 'Zo\u0065\u0308', 'Zoë', 'metformin', 'Metformin', '東京', 'C++', 'Ada Lovelace']),
    ['Ada Lovelace', 'Zoë', 'metformin', 'Metformin', '東京', 'C++'])
  t.strictSame(cleanTerms([]), [])
})

t.test('a term has 1 to 64 characters as people count them, and a list 200 terms', async (t) => {
  t.strictSame(cleanTerms(['x'.repeat(64), '𠮷'.repeat(64)]).length, 2)
  for (const bad of ['', ' ', '\t\n', 'x'.repeat(65)]) {
    t.throws(() => cleanTerms(['Anna', bad]), { code: 'invalid_request', message: /1 to 64 characters/ }, JSON.stringify(bad))
  }
  const many = Array.from({ length: 201 }, (_, index) => `term ${index}`)
  t.equal(cleanTerms(many.slice(1)).length, 200)
  t.equal(cleanTerms([...many.slice(1), 'term 1', ' term 2 ']).length, 200, 'twice the same counts once')
  t.throws(() => cleanTerms(many), { code: 'invalid_request', message: /at most 200 terms .* 201/ })
})

t.test('what nobody can say or see is no term', async (t) => {
  for (const bad of ['...', '—', '😀', 'a\u0000b', 'a\u202eb', 'a\u200bb', '\ud800a', 'a\u0085\u0086']) {
    t.throws(() => cleanTerms([bad]), { code: 'invalid_request', message: /letter or a digit/ }, JSON.stringify(bad))
  }
})

t.test('a line of terms is parted at its commas', async (t) => {
  t.strictSame(parseTerms(' Dashwood, Ada  Lovelace ,,metformin, '), ['Dashwood', 'Ada Lovelace', 'metformin'])
  t.strictSame(parseTerms(''), [])
})

t.test('two lists become one, without what is in both', async (t) => {
  t.strictSame(mergeTerms(['a', 'b'], ['c', 'a']), ['a', 'b', 'c'])
})
