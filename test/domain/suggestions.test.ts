import t from 'tap'
import { suggestNames } from '../../dist/domain/suggestions.js'

const KNOWN = ['tiny', 'tiny.en', 'base', 'small', 'large-v3', 'large-v3-turbo', 'set:best', 'set:standard']

t.test('a slip of the fingers is understood', async (t) => {
  t.strictSame(suggestNames('smal', KNOWN), ['small'])
  t.strictSame(suggestNames('Base', KNOWN), ['base'])
  t.strictSame(suggestNames('bset', KNOWN), [])
  t.strictSame(suggestNames('standart', KNOWN), ['set:standard'])
})

t.test('a beginning is understood, and there are at most three', async (t) => {
  t.strictSame(suggestNames('large', KNOWN), ['large-v3', 'large-v3-turbo'])
  t.strictSame(suggestNames('aa', ['aa1', 'aa2', 'aa3', 'aa4']), ['aa1', 'aa2', 'aa3'])
})

t.test('a word unlike any known one gets no suggestion', async (t) => {
  t.strictSame(suggestNames('whatever', KNOWN), [])
  t.strictSame(suggestNames('', KNOWN), [])
  t.strictSame(suggestNames('x'.repeat(1_000_000), KNOWN), [])
})
