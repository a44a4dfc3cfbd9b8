import fc from 'fast-check'
import t from 'tap'
import { replaceIn, toPattern } from '../../dist/domain/find-replace.js'

const replaced = (text: string, find: string, replacement: string, options: { matchCase?: boolean, wholeWords?: boolean } = {}) =>
  replaceIn(text, toPattern({ find, ...options }), replacement)

t.test('case and words count if asked', async (t) => {
  const text = ' Ann can’t find the ANNEX, ann.'
  t.strictSame(replaced(text, 'ann', 'Anne'), { count: 3, text: ' Anne can’t find the AnneEX, Anne.' })
  t.strictSame(replaced(text, 'ann', 'Anne', { wholeWords: true }), { count: 2, text: ' Anne can’t find the ANNEX, Anne.' })
  t.strictSame(replaced(text, 'Ann', 'Anne', { matchCase: true }), { count: 1, text: ' Anne can’t find the ANNEX, ann.' })
  t.strictSame(replaced(text, 'bob', 'x'), { count: 0, text })
  t.strictSame(replaced(' die Straße', 'STRASSE', 'x').count, 0)
  t.strictSame(replaced(' ÉCOLE Ωμέγα', 'école', 'x').count, 1)
  t.strictSame(replaced('会議は明日です', '明日', '今日').text, '会議は今日です')
})

t.test('patterns and replacements are plain text', async (t) => {
  t.strictSame(replaced(' a.b (c) $1 \\', '.', '$&'), { count: 1, text: ' a$&b (c) $1 \\' })
  t.strictSame(replaced(' a.b (c)', '(c)', '</p>').text, ' a.b </p>')
  t.strictSame(replaced(' New  York\nCity', 'new york city', 'NYC').text, ' NYC')
  for (const find of ['', ' ', '\n\t', 'x'.repeat(201)]) t.throws(() => toPattern({ find }), { code: 'invalid_request' }, JSON.stringify(find))
})

t.test('any text finds itself, in any company', async () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), fc.string({ unit: 'grapheme' }), (find, around) => {
    if (find.trim() === '') return true
    return replaced(`${around} ${find} ${around}`.normalize('NFC'), find, '').count >= 1
  }))
})
