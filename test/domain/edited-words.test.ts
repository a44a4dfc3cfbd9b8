/** Words of edited text: what stays keeps its times, what is new gets some. */
import fc from 'fast-check'
import t from 'tap'
import { copySpeakers, editWords, isTextOf, leadOf, toSegmentText } from '../../dist/domain/edited-words.js'
import type { TimedWord } from '../../dist/domain/transcript.js'

const SEGMENT = { startMs: 1000, endMs: 9000 }

/** Words of 100 ms each, 200 ms apart. */
const wordsOf = (...texts: string[]): TimedWord[] => texts.map((text, index) =>
  ({ text, startMs: 1000 + index * 300, endMs: 1100 + index * 300, probability: 0.5, speaker: index % 2 ? 'Speaker 2' : 'Speaker 1' }))
const times = (words: readonly TimedWord[]): Array<[string, number, number]> =>
  words.map(({ text, startMs, endMs }) => [text, startMs, endMs])

t.test('a corrected word has the time and speaker of the word it replaces; the others are untouched', async (t) => {
  const before = wordsOf(' We', ' meat', ' at', ' nine.')
  const after = editWords(SEGMENT, before, 'We meet at nine.')
  t.strictSame(after, before.map((word, index) => index === 1 ? { ...word, text: ' meet', probability: 1 } : word))
})

t.test('punctuation and case change the text only', async (t) => {
  const before = wordsOf(' we', ' meet', ' at', ' nine', ' —', ' ok')
  const after = editWords(SEGMENT, before, '  We meet\n at “nine”! — OK')
  const texts = [' We', ' meet', ' at', ' “nine”!', ' —', ' OK']
  t.strictSame(times(after), times(before).map(([, from, to], index) => [texts[index], from, to]))
  t.strictSame(after.map(({ probability }) => probability), [1, 0.5, 0.5, 1, 0.5, 1])
})

t.test('new words share the time of what they replace, or the time between their neighbours, by length', async (t) => {
  const before = wordsOf(' one', ' gonna', ' two', ' three')
  t.strictSame(times(editWords(SEGMENT, before, 'one going to two three')), [
    [' one', 1000, 1100], [' going', 1300, 1371], [' to', 1371, 1400], [' two', 1600, 1700], [' three', 1900, 2000]
  ])
  t.strictSame(times(editWords(SEGMENT, before, 'one gonna ab abcdef two three')).slice(2, 4), [
    [' ab', 1400, 1450], [' abcdef', 1450, 1600]
  ])
  t.strictSame(times(editWords(SEGMENT, before, 'so one gonna two three and more')).filter(([text]) => /so|and|more/.test(text)), [
    [' so', 1000, 1000], [' and', 2000, 5000], [' more', 5000, 9000]
  ])
  t.strictSame(times(editWords(SEGMENT, before, 'three')), [[' three', 1900, 2000]])
  t.strictSame(editWords(SEGMENT, before, ' \n'), [])
  t.strictSame(times(editWords(SEGMENT, [], 'all new')), [[' all', 1000, 5000], [' new', 5000, 9000]])
})

t.test('new words belong to the speaker of that time', async (t) => {
  const before = wordsOf(' a', ' b', ' c', ' d')
  t.strictSame(editWords(SEGMENT, before, 'a x y z d').map(({ speaker }) => speaker?.at(-1)), ['1', '2', '2', '1', '2'])
  t.strictSame(editWords(SEGMENT, before, 'a b c d e').at(-1)?.speaker, 'Speaker 2')
  t.notOk('speaker' in editWords(SEGMENT, [{ text: ' a', startMs: 1000, endMs: 1100, probability: 1 }], 'x y')[0]!)
})

t.test('in scripts without spaces, characters that stay keep the times of their words', async (t) => {
  const before = wordsOf('今天', '我们', '开会。', '…', 'OK').filter(({ text }) => text !== '…')
  t.strictSame(editWords(SEGMENT, before, '今天我们开会。OK', ''), before)
  t.strictSame(times(editWords(SEGMENT, before, '今天你们开会。OK', '')), [
    ['今天', 1000, 1100], ['你们', 1300, 1400], ['开会。', 1600, 1700], ['OK', 2200, 2300]
  ])
  t.strictSame(times(editWords(SEGMENT, before, '今天我们大家都开会OK', '')).filter(([text]) => /今天|我们|开会|OK/.test(text)),
    [['今天', 1000, 1100], ['我们', 1300, 1400], ['开会', 1600, 1700], ['OK', 2200, 2300]])
  const thai = wordsOf('วันนี้', 'อากาศ', 'ดี')
  t.strictSame(times(editWords(SEGMENT, thai, 'วันนี้อากาศร้อน', '')), [
    ['วันนี้', 1000, 1100], ['อากาศ', 1300, 1400], ['ร้อน', 1600, 1700]
  ])
})

t.test('right-to-left text, emoji, joined emoji and text like HTML are text', async (t) => {
  const before = wordsOf(' שלום', ' עולם', ' <b>hi</b>', ' 👩‍👩‍👧', ' 🎉')
  for (const text of ['שלום עולם <b>hi</b> 👩‍👩‍👧 🎉', 'שלום לכם <script>alert(1)</script> 👩‍👩‍👧 🎉 🎉']) {
    const after = editWords(SEGMENT, before, text)
    t.ok(isTextOf(text, after))
    t.strictSame(times(after)[0], [' שלום', 1000, 1100])
    t.strictSame(after.find((word) => word.text === ' 👩‍👩‍👧'), before[3])
  }
  t.equal(toSegmentText('a\u0000b\ud800 \u2028c\t'), 'a b\ufffd c')
})

t.test('the first word is separated from the segment before it as the machine had it', async (t) => {
  t.equal(leadOf(' Hello', 'Hi'), ' ')
  t.equal(leadOf('今天', '昨天'), '')
  t.equal(leadOf('今天', 'today'), ' ')
  t.equal(leadOf('Hello', 'Hi'), '')
})

t.test('words of another attempt get the speakers of those who talk at their time', async (t) => {
  const labelled = wordsOf(' a', ' b')
  const old = [{ text: ' x', startMs: 1310, endMs: 1390, probability: 1, speaker: 'Speaker 9', isOverlap: true }]
  t.strictSame(copySpeakers(old, labelled), [{ text: ' x', startMs: 1310, endMs: 1390, probability: 1, speaker: 'Speaker 2' }])
  t.strictSame(copySpeakers(old, []), [{ text: ' x', startMs: 1310, endMs: 1390, probability: 1 }])
})

const wordText = fc.oneof(
  fc.constantFrom(' the', ' and', ' a', '会', '議', ' 会議', 'です。', ' —', ' Zoë', ' 👩‍👩‍👧', ' it’s', ' שלום', 'วันนี้', ' ...', ' hello .'),
  fc.string({ minLength: 1, maxLength: 6 }).map((text) => ` ${text.replace(/\s/gu, 'x')}`)
)
const segments = fc.array(fc.tuple(wordText, fc.nat(400), fc.nat(300)), { maxLength: 25 }).map((given) => {
  let atMs = 1000
  const words = given.map(([text, gapMs, lengthMs]): TimedWord => {
    const startMs = atMs + gapMs
    atMs = startMs + lengthMs
    return { text, startMs, endMs: atMs, probability: 0.5 }
  })
  return { startMs: 1000, endMs: atMs + 100, words }
})

t.test('whatever is typed, the words are the text, in order, inside the segment', async () => {
  const typing = fc.array(fc.oneof(wordText, fc.string({ unit: 'grapheme', maxLength: 20 })), { maxLength: 25 })
  fc.assert(fc.property(segments, typing, (segment, typed) => {
    const text = typed.join('')
    const after = editWords(segment, segment.words, text)
    let atMs = segment.startMs
    for (const { startMs, endMs, text: word } of after) {
      if (startMs < atMs || endMs < startMs || endMs > segment.endMs || word.trim() === '') return false
      atMs = endMs
    }
    return toSegmentText(text).replace(/\s/gu, '') === after.map((word) => word.text).join('').replace(/\s/gu, '')
  }), { numRuns: 2000 })
})

t.test('typing the same text changes nothing, and a word put in or taken out leaves the others alone', async () => {
  const plain = fc.constantFrom(' the', ' cat', ' sat', ' on', ' it’s', ' café,', ' No.', ' 7')
  const spaced = fc.array(fc.tuple(plain, fc.nat(300), fc.nat(300)), { minLength: 1, maxLength: 40 })
  fc.assert(fc.property(spaced, fc.nat(), fc.boolean(), (given, at, isAdded) => {
    let atMs = 1000
    const words = given.map(([text, gapMs, lengthMs]): TimedWord => {
      const startMs = atMs + gapMs
      atMs = startMs + lengthMs
      return { text, startMs, endMs: atMs, probability: 0.5 }
    })
    const span = { startMs: 1000, endMs: atMs }
    const join = (list: readonly TimedWord[]): string => list.map(({ text }) => text).join('')
    if (JSON.stringify(editWords(span, words, join(words))) !== JSON.stringify(words)) return false
    const place = at % words.length
    if (!isAdded) {
      const after = editWords(span, words, join(words.toSpliced(place, 1)))
      return after.length === words.length - 1 && after.every((word) => words.some((old) => JSON.stringify(old) === JSON.stringify(word)))
    }
    const after = editWords(span, words, join(words.toSpliced(place, 0, { text: ' unheard', startMs: 0, endMs: 0, probability: 1 })))
    return JSON.stringify(after.toSpliced(place, 1)) === JSON.stringify(words)
  }), { numRuns: 1000 })
})

t.test('the longest text takes little time, also if it repeats one word', async (t) => {
  const texts = ['a '.repeat(2500), '的'.repeat(5000), Array.from({ length: 900 }, (_, index) => `w${index % 40}`).join(' ')]
  for (const text of texts) {
    const before = editWords(SEGMENT, [], text)
    const began = performance.now()
    const after = editWords(SEGMENT, before, `x ${text.slice(2)} y`)
    t.comment(`${after.length} words in ${Math.round(performance.now() - began)} ms`)
    t.ok(after.length > 100)
  }
})
