/** Terms of a query in texts that have them in another form, or as they sound. */
import t from 'tap'
import { createMatcher } from '../../dist/domain/near-terms.js'

/** `isMissing`: no other passage has the term either. */
const covers = (term: string, text: string, isMissing = false): number =>
  createMatcher(new Map([[term, 1]]), new Set(isMissing ? [term] : []))(text).coverage

t.test('a term that is there counts whole, and one that is not counts nothing', async (t) => {
  t.equal(covers('invoice', 'The invoice is due on Friday.'), 1)
  t.equal(covers('invoice', 'A cat slept on the warm roof.'), 0)
  t.equal(covers('invoice', ''), 0)
  t.equal(createMatcher(new Map(), new Set())('any text').coverage, 0)
})

t.test('rare terms weigh more than common ones', async (t) => {
  t.equal(createMatcher(new Map([['harbour', 3], ['lighthouse', 1]]), new Set())('the harbour').coverage, 0.75)
})

t.test('stop words of the language of the text count nothing', async (t) => {
  const match = createMatcher(new Map([['the', 1], ['war', 1]]), new Set())
  t.match(match('the war', 'en'), { coverage: 1, together: 0 }, 'war says something in English')
  t.match(match('the peace', 'en'), { coverage: 0, together: 0 })
  t.match(match('the war'), { coverage: 0, together: 0 }, 'of an unknown language')
  const department = createMatcher(new Map([['it', 1], ['war', 1]]), new Set())
  t.match([department('die it', 'de'), department('es war', 'de')], [{ coverage: 1 }, { coverage: 0 }], 'it says something in German')
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

t.test('a term that no passage has is found by its sound', async (t) => {
  const HEARD = [
    ['kaltenbrunner', 'a letter from Calten Bruner arrived'],
    ['phosphate', 'fos fate in the soil'],
    ['nebuchadnezzar', 'king nebu cad nesar']
  ] as const
  for (const [term, text] of HEARD) {
    t.ok(covers(term, text, true) > covers(term, text), term)
    t.ok(covers(term, text, true) > 0.7, `${term}: ${covers(term, text, true)}`)
    t.ok(covers(term, text, true) < 1, term)
  }
  t.equal(covers('kaltenbrunner', 'The harvest was late and the weather was bad.', true), 0)
})

t.test('a term that other passages have is not taken for a word that sounds the same', async (t) => {
  t.ok(covers('reading', 'she was riding home') < covers('reading', 'she was riding home', true))
})

t.test('numbers are equal or different', async (t) => {
  t.equal(covers('48213', 'invoice 48213'), 1)
  t.equal(covers('48213', 'invoice 48214'), 0)
})

t.test('neighbouring terms of a query count as together where they are near each other, in the same order', async (t) => {
  const match = createMatcher(new Map([['first', 1], ['crack', 1], ['beans', 1]]), new Set())
  t.equal(match('listen for the first crack of the beans').together, 1)
  t.equal(match('the first loud crack').together, 0.5)
  t.equal(match('a crack comes first').together, 0)
  t.equal(match('first we waited for a very long time and then came the crack').together, 0)
  t.equal(createMatcher(new Map([['crack', 1]]), new Set())('crack').together, 0)
  t.equal(match('two words').words, 2)
})
