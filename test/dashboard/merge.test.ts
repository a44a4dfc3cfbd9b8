/** Two changes of one text. */
import fc from 'fast-check'
import t from 'tap'
import { diffWords, mergeTexts, toTokens } from '../../src/dashboard/transcript/model/merge.ts'

t.test('changes of different words are brought together', async (t) => {
  const merged = mergeTexts('We meet at nine in room two.', 'We meet at ten in room two.', 'They meet at nine in room two.')
  t.equal(merged.text, 'They meet at ten in room two.')
  t.equal(merged.isClean, true)
})

t.test('changes of the same word are a conflict, and mine is proposed', async (t) => {
  const merged = mergeTexts('We meet at nine.', 'We meet at ten.', 'We meet at eleven.')
  t.equal(merged.text, 'We meet at ten.')
  t.equal(merged.isClean, false)
  t.match(merged.parts.find(({ kind }) => kind === 'conflict'), { base: ' nine', mine: ' ten', theirs: ' eleven' })
})

t.test('the same change by both is no conflict', async (t) => {
  t.match(mergeTexts('at nine', 'at ten', 'at ten'), { text: 'at ten', isClean: true })
})

t.test('deleted and added words', async (t) => {
  t.match(mergeTexts('um we meet today', 'we meet today', 'um we meet today at nine'), { text: 'we meet today at nine', isClean: true })
  t.match(mergeTexts('', 'mine', ''), { text: 'mine', isClean: true })
  t.match(mergeTexts('gone', '', 'gone'), { text: '', isClean: true })
})

t.test('scripts without spaces are compared by words', async (t) => {
  t.match(mergeTexts('会議は九時です', '会議は十時です', '打合せは九時です'), { isClean: true })
})

t.test('a change by one alone is taken as it is', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 }).map((words) => words.join(' '))
  fc.assert(fc.property(text, text, (base, changed) =>
    mergeTexts(base, changed, base).text === changed && mergeTexts(base, base, changed).text === changed &&
    mergeTexts(base, changed, changed).isClean))
})

t.test('a comparison has both texts in it, in full', async () => {
  const text = fc.string({ maxLength: 40 })
  fc.assert(fc.property(text, text, (before, after) => {
    const parts = diffWords(before, after)
    const join = (not: string): string => parts.filter(({ kind }) => kind !== not).map((part) => part.text).join('')
    return join('added') === before && join('removed') === after
  }))
})

t.test('tokens joined are the text', async () => {
  fc.assert(fc.property(fc.string(), (text) => toTokens(text).join('') === text))
})

t.test('texts too long to compare count as different from start to end', async (t) => {
  const long = 'word '.repeat(3000)
  t.strictSame(diffWords(long, `${long}x`).map(({ kind }) => kind), ['removed', 'added'])
})
