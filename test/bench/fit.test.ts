/** The fit of the score to labelled results. */
import t from 'tap'
import { checkFit, crossCheck, fitCases, fitLogistic } from '../../bench/lib/fit.ts'
import type { Case } from '../../bench/lib/fit.ts'
import { createRandom } from '../../dist/evaluate/sounds/random.js'

t.test('logistic regression finds the weights that made the examples', async (t) => {
  const random = createRandom(3)
  const rows = Array.from({ length: 4000 }, () => {
    const x = 4 * random() - 2
    return { x: [1, x], isRelevant: random() < 1 / (1 + Math.exp(-(2 * x - 1))) }
  })
  const [bias = 0, weight = 0] = fitLogistic(rows, 2)
  t.ok(Math.abs(bias + 1) < 0.25, String(bias))
  t.ok(Math.abs(weight - 2) < 0.25, String(weight))
})

/** Queries with one relevant transcript among four, which is usually, but not always, the most similar. */
function makeCases (count: number): Case[] {
  const random = createRandom(5)
  return Array.from({ length: count }, () => ({
    relevant: new Set(['a']),
    found: ['a', 'b', 'c', 'd'].map((transcript) => ({
      transcript,
      evidence: {
        similarity: (transcript === 'a' ? 0.5 : 0.2) + 0.2 * random(), coverage: random() * (transcript === 'a' ? 0.6 : 0.4),
        context: undefined, together: 0, words: 30, isFluent: true
      }
    }))
  }))
}

t.test('results from 0.7 on are right as often as the fit wants, also for queries that were left out of it', async (t) => {
  const cases = makeCases(80)
  const fit = fitCases(cases)
  t.ok(checkFit(cases, fit).precision >= 0.8)
  t.ok(checkFit(cases, fit).recall > 0.9)
  const crossed = crossCheck(cases)
  t.equal(crossed.relevant, 80)
  t.ok(crossed.precision > 0.75 && crossed.recall > 0.85, JSON.stringify(crossed))
})
