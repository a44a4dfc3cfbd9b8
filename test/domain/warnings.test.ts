import t from 'tap'
import { deriveIndexWarning, deriveWarnings } from '../../dist/domain/warnings.js'
import type { TranscriptFacts } from '../../dist/domain/warnings.js'

const GOOD: TranscriptFacts = { usedStarter: false, speechMs: 60_000, wordlessMs: 0, wordCount: 150 }
const codes = (changes: Partial<TranscriptFacts>): string[] => deriveWarnings({ ...GOOD, ...changes }).map(({ code }) => code)

t.test('a usual transcript has no warning, nor has one of which nothing is known', async (t) => {
  t.strictSame(codes({}), [])
  t.strictSame(codes({ speechMs: 0, wordCount: 0 }), [], 'nobody spoke')
  t.strictSame(codes({ speechMs: 0 }), [], 'windows of an older version')
})

t.test('the starter model is named, with what to do', async (t) => {
  t.strictSame(codes({ usedStarter: true }), ['starter_model'])
  t.match(deriveWarnings({ ...GOOD, usedStarter: true })[0]?.message, /models pull/)
})

t.test('much speech and little text', async (t) => {
  t.strictSame(codes({ wordCount: 20 }), ['little_text'])
  t.strictSame(codes({ wordCount: 60 }), [], 'a slow speaker')
  t.strictSame(codes({ speechMs: 4000, wordCount: 1 }), [], 'a few seconds prove nothing')
})

t.test('a hole in a long transcript', async (t) => {
  const hour = { speechMs: 3_000_000, wordCount: 8000 }
  t.strictSame(codes({ ...hour, wordlessMs: 20_000 }), ['little_text'])
  t.strictSame(codes({ ...hour, wordlessMs: 3000 }), [])
})

t.test('speech without a single word', async (t) => {
  t.strictSame(codes({ speechMs: 800, wordlessMs: 800, wordCount: 0 }), ['little_text'])
})

t.test('an index without vectors, because the model failed or because there was none', async (t) => {
  t.strictSame(deriveIndexWarning({ model: 'some', fault: undefined }), [])
  t.match(deriveIndexWarning({ model: undefined, fault: 'out_of_memory' }), [{ code: 'words_only', message: /the embedding model failed/ }])
  t.match(deriveIndexWarning({ model: undefined, fault: undefined }), [{ code: 'words_only', message: /no embedding model was installed/ }])
})
