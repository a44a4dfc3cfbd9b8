/** Words as full-text search sees them. */
import t from 'tap'
import { listTerms, queryTerms, toIndexText } from '../../dist/domain/search-terms.js'

t.test('words are compared without case and accents', async (t) => {
  t.equal(toIndexText('Über die CAFÉS von Málaga, 2019.'), 'uber die cafes von malaga 2019')
})

t.test('scripts without spaces become pairs of characters', async (t) => {
  t.equal(toIndexText('東京に行く'), '東京 京に に行 行く')
  t.equal(toIndexText('字'), '字')
  t.equal(toIndexText('Sony社長'), 'sony 社長')
})

t.test('marks stay with their letters', async (t) => {
  t.equal(toIndexText('हिन्दी में'), 'हिन्दी में'.normalize('NFC'))
})

t.test('each term knows its place', async (t) => {
  const text = 'Um, «Größe» 東京!'
  t.strictSame([...listTerms(text)].map(({ start, end }) => text.slice(start, end)), ['Um', 'Größe', '東京'])
})

t.test('stop words of a query do not count, unless there is nothing else', async (t) => {
  t.strictSame(queryTerms('What did the board decide about the budget?'), ['board', 'decide', 'budget'])
  t.strictSame(queryTerms('to be or not to be'), ['to', 'be', 'or', 'not'])
})

t.test('operators, quotes and SQL are only words', async (t) => {
  t.strictSame(queryTerms('"budget" NEAR(a, b) -x* title:y'), ['budget', 'near', 'b', 'x', 'title'])
  t.strictSame(queryTerms('\'; DROP TABLE job; --'), ['drop', 'table', 'job'])
  t.strictSame(queryTerms('"\'*()^:-+ \u0000'), [])
})

t.test('a query of any length gives a few terms', async (t) => {
  t.equal(queryTerms(Array.from({ length: 5000 }, (_, index) => `word${index}`).join(' ')).length, 24)
})
