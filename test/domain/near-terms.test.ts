/** Terms of a query in texts that have them in another form, or as they sound. */
import t from 'tap'
import { coverageOf } from '../../dist/domain/near-terms.js'

const covers = (term: string, text: string): number => coverageOf(text, new Map([[term, 1]]))

t.test('a term that is there counts whole, and one that is not counts nothing', async (t) => {
  t.equal(covers('invoice', 'The invoice is due on Friday.'), 1)
  t.equal(covers('invoice', 'A cat slept on the warm roof.'), 0)
  t.equal(covers('invoice', ''), 0)
  t.equal(coverageOf('any text', new Map()), 0)
})

t.test('rare terms weigh more than common ones', async (t) => {
  t.equal(coverageOf('the harbour', new Map([['harbour', 3], ['lighthouse', 1]])), 0.75)
})

t.test('another form of a word counts in part', async (t) => {
  const share = covers('collided', 'There were two collisions and one of them collides with the plan.')
  t.ok(share > 0.5 && share < 1, String(share))
})

t.test('a term is found as speech recognition wrote it, in several words too', async (t) => {
  t.ok(covers('metformin', 'He takes met for men with breakfast.') > 0.4)
  t.ok(covers('grafana', 'the dashboard in graph fauna shows it') > 0)
  t.equal(covers('metformin', 'We talked about the weather and the harvest.'), 0)
})

t.test('numbers are equal or different', async (t) => {
  t.equal(covers('48213', 'invoice 48213'), 1)
  t.equal(covers('48213', 'invoice 48214'), 0)
})
