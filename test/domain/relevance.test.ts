/** Scores of search. */
import t from 'tap'
import { logOddsOf, relevanceOf, strengthOf } from '../../dist/domain/relevance.js'
import type { Evidence } from '../../dist/domain/relevance.js'

const STRONG: Evidence = { similarity: 0.7, context: 0.5, coverage: 0.8, together: 0.5, words: 30, isFluent: true }
const WEAK: Evidence = { similarity: 0.1, context: 0.1, coverage: 0, together: 0, words: 30, isFluent: true }

t.test('more evidence gives a higher score, in each group of passages', async (t) => {
  for (const group of [{}, { isFluent: false }, { similarity: undefined }]) {
    const score = relevanceOf({ ...STRONG, ...group }, [])
    t.ok(score > relevanceOf({ ...STRONG, coverage: 0.1, ...group }, []), JSON.stringify(group))
    t.ok(score > 0 && score < 1)
  }
  t.ok(relevanceOf(STRONG, []) > relevanceOf({ ...STRONG, similarity: 0.3 }, []))
})

t.test('more evidence never lowers the score of a passage, however much there is already', async (t) => {
  const STEPS = [0, 0.25, 0.5, 0.75]
  for (const similarity of STEPS) {
    for (const coverage of STEPS) {
      const least = logOddsOf({ ...WEAK, similarity, coverage })
      for (const more of [{ similarity: similarity + 0.25 }, { context: 0.3 }, { coverage: coverage + 0.25 }, { together: 1 }]) {
        t.ok(logOddsOf({ ...WEAK, similarity, coverage, ...more }) > least, JSON.stringify({ similarity, coverage, ...more }))
      }
    }
  }
})

t.test('a passage of a short recording is neither better nor worse for having no context', async (t) => {
  const alone = relevanceOf({ ...STRONG, context: undefined }, [])
  t.ok(alone > relevanceOf({ ...STRONG, context: 0 }, []) && alone < relevanceOf({ ...STRONG, context: STRONG.similarity }, []))
})

t.test('clear matches reach 0.7, and unrelated passages do not, even alone in a library', async (t) => {
  t.ok(relevanceOf(STRONG, []) >= 0.7)
  t.ok(relevanceOf(WEAK, []) < 0.7)
})

t.test('rivals that are as good lower a score, and a second copy of a recording does not hide a clear match', async (t) => {
  t.ok(relevanceOf(STRONG, [logOddsOf(STRONG)]) < relevanceOf(STRONG, []))
  t.ok(relevanceOf(STRONG, [logOddsOf(STRONG)]) >= 0.7)
})

t.test('a passage with every word of the query reaches 0.7, however many others have them', async (t) => {
  for (const group of [{}, { isFluent: false }, { similarity: undefined }]) {
    const evidence: Evidence = { similarity: 0.3, context: 0.2, coverage: 1, together: 0, words: 30, isFluent: true, ...group }
    t.ok(relevanceOf(evidence, Array.from({ length: 5 }, () => logOddsOf(evidence))) >= 0.7, JSON.stringify(group))
  }
})

t.test('rivals beyond the best few change nothing', async (t) => {
  t.equal(strengthOf([2, 1, 0, -1, -2]), strengthOf([2, 1, 0, -1, -2, -2, -2]))
})
