/** Snippets and their highlights never cut what people see as one character. */
import t from 'tap'
import fc from 'fast-check'
import { queryTerms } from '../../dist/domain/search-terms.js'
import { makeSnippet } from '../../dist/domain/snippet.js'

const WHOLE = [{ offset: 0, startMs: 0, endMs: 1000 }]
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' })

function show (text: string, query: string, sentences = WHOLE, index = 0) {
  const snippet = makeSnippet(text, sentences, index, new Set(queryTerms(query)))
  return { ...snippet, marked: snippet.highlights.map(({ start, end }) => snippet.text.slice(start, end)) }
}

t.test('words are marked whole, with their accents', async (t) => {
  t.strictSame(show('Le café ferme.', 'cafe').marked, ['café'])
  t.strictSame(show('Le cafe\u0301 ferme.', 'café').marked, ['cafe\u0301'], 'an accent of its own')
  t.strictSame(show('नमस्ते दुनिया', 'दुनिया').marked, ['दुनिया'])
})

t.test('a pair that is only a part of a character marks the whole of it', async (t) => {
  t.strictSame(show('สิน', 'ิน').marked, ['สิน'], 'a vowel sign of Thai stays with its letter')
})

t.test('a long text without spaces is cut between characters', async (t) => {
  const family = '👩‍👩‍👧‍👦'
  const { text } = show(family.repeat(80), 'x')
  t.equal(text.replace('…', '').length % family.length, 0)
})

t.test('any text and any query', async (t) => {
  const piece = fc.constantFrom('e\u0301', 'สิ', 'น', '京都', '👩‍👩‍👧', 'नि', 'ab', ' ', '. ', '🇩🇪', 'o\u0308\u0301')
  fc.assert(fc.property(fc.array(piece, { maxLength: 300 }), fc.array(piece, { maxLength: 4 }), fc.nat(), (pieces, asked, place) => {
    const text = pieces.join('')
    const middle = Math.min(place, pieces.slice(0, place % (pieces.length + 1)).join('').length)
    const sentences = [...WHOLE, { offset: middle, startMs: 1000, endMs: 2000 }]
    const { text: shown, highlights } = show(text, asked.join(''), sentences, 1)
    const whole = new Set([...GRAPHEMES.segment(text)].map(({ index }) => index)).add(text.length)
    const bare = shown.replaceAll('…', '')
    const at = text.indexOf(bare)
    const inside = new Set([...GRAPHEMES.segment(shown)].map(({ index }) => index)).add(shown.length)
    return at !== -1 && highlights.every(({ start, end }) => start < end && inside.has(start) && inside.has(end)) &&
      (whole.size > 0) && highlights.every(({ start }, index) => start >= (highlights[index - 1]?.end ?? 0))
  }), { numRuns: 300 })
})
