import t from 'tap'
import { buildSegments } from '../../dist/domain/words.js'
import type { DecodedSegment, DecodedToken } from '../../dist/domain/words.js'
import type { TimedSegment } from '../../dist/domain/transcript.js'
import { createWindowClock } from '../../dist/domain/windows.js'
import { createRandom } from '../support/random.ts'

const BOUNDS = { startMs: 60_000, endMs: 90_000 }
const WINDOW = createWindowClock({ startSample: 16 * BOUNDS.startMs, endSample: 16 * BOUNDS.endMs })
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Tokens of 100 ms each, one after the other. */
function toTokens (...texts: string[]): DecodedToken[] {
  return texts.map((text, index) => ({ bytes: latin1(text), startMs: index * 100, endMs: (index + 1) * 100, probability: 0.5 }))
}

const toSegment = (tokens: DecodedToken[]): DecodedSegment => ({ startMs: 0, endMs: 30_000, tokens })
const wordsOf = (segments: readonly TimedSegment[]): string[] => segments.flatMap(({ words }) => words.map(({ text }) => text))
const splitWords = (...texts: string[]): string[] => wordsOf(buildSegments([toSegment(toTokens(...texts))], WINDOW))

/** Every time that is outside its segment or window, or earlier than the one before; every text that is not its words. */
function findFaults (segments: readonly TimedSegment[], window: { startMs: number, endMs: number }): string[] {
  const faults: string[] = []
  let cursor = window.startMs
  for (const segment of segments) {
    if (segment.startMs < cursor || segment.endMs < segment.startMs || segment.endMs > window.endMs) {
      faults.push(`segment ${segment.startMs} to ${segment.endMs} after ${cursor}`)
    }
    if (segment.text !== segment.words.map(({ text }) => text).join('')) faults.push(`text "${segment.text}" is not its words`)
    cursor = segment.startMs
    for (const word of segment.words) {
      if (word.startMs < cursor || word.endMs < word.startMs || word.endMs > segment.endMs) {
        faults.push(`word ${word.startMs} to ${word.endMs} after ${cursor}`)
      }
      if (!(word.probability >= 0 && word.probability <= 1)) faults.push(`probability ${word.probability}`)
      cursor = word.endMs
    }
    cursor = segment.endMs
  }
  return faults
}

t.test('a space begins a word; tokens without one go on with it', async (t) => {
  t.strictSame(splitWords(' The', ' trans', 'cript', 'ion', ' works'), [' The', ' transcription', ' works'])
  t.strictSame(splitWords('No', ' space', ' before', ' the', ' first'), ['No', ' space', ' before', ' the', ' first'])
})

t.test('punctuation belongs to the word before it', async (t) => {
  t.strictSame(splitWords(' Yes', ',', ' said', ' he', '.', ' Really', '?', '!'), [' Yes,', ' said', ' he.', ' Really?!'])
  t.strictSame(splitWords(' Wait', ' ...', ' what'), [' Wait ...', ' what'])
  t.strictSame(splitWords(' don', '\'', 't', ' mother', '-', 'in', '-', 'law'), [' don\'t', ' mother-in-law'])
  t.strictSame(splitWords(' 3', '.', '5', '%', ' of', ' it'), [' 3.5%', ' of', ' it'])
})

t.test('an opening mark begins the word that follows', async (t) => {
  t.strictSame(splitWords(' he', ' "', 'hello', '"', ' (', 'there', ')'), [' he', ' "hello"', ' (there)'])
  t.strictSame(splitWords(' ¿', 'Qué', ' tal', '?'), [' ¿Qué', ' tal?'])
})

t.test('a character that the decoder split over tokens is whole, and takes all their time', async (t) => {
  const [first = 0, second = 0, ...rest] = Buffer.from('é')
  t.strictSame(rest, [])
  const tokens = [
    { bytes: ' caf', startMs: 0, endMs: 100, probability: 0.9 },
    { bytes: String.fromCharCode(first), startMs: 100, endMs: 150, probability: 0.6 },
    { bytes: String.fromCharCode(second), startMs: 150, endMs: 200, probability: 0.3 },
    { bytes: '.', startMs: 200, endMs: 220, probability: 0.6 }
  ]
  const [segment] = buildSegments([toSegment(tokens)], WINDOW)
  t.strictSame(segment?.words, [{ text: ' café.', startMs: 60_000, endMs: 60_220, probability: 0.6 }])
})

t.test('every way to split a text into tokens gives the same text', async (t) => {
  const text = ' Grüße, 你好 🎙️ naïve – ça va? Привет!'
  const bytes = Buffer.from(text)
  const random = createRandom(11)
  for (let round = 0; round < 50; round++) {
    const tokens: DecodedToken[] = []
    for (let offset = 0; offset < bytes.length;) {
      const length = 1 + Math.floor(random() * 5)
      tokens.push({
        bytes: bytes.subarray(offset, offset + length).toString('latin1'),
        startMs: offset * 10,
        endMs: (offset + length) * 10,
        probability: 0.5
      })
      offset += length
    }
    const segments = buildSegments([toSegment(tokens)], WINDOW)
    t.equal(segments.map((segment) => segment.text).join(''), text)
    t.strictSame(findFaults(segments, BOUNDS), [])
  }
})

t.test('text that ends inside a character shows the replacement mark and loses nothing else', async (t) => {
  const tokens = [...toTokens(' ok'), { bytes: ' \xe4\xbd', startMs: 100, endMs: 200, probability: 0.5 }]
  t.strictSame(wordsOf(buildSegments([toSegment(tokens)], WINDOW)), [' ok', ' \ufffd'])
})

t.test('bytes that are no text spoil their own word only', async (t) => {
  for (const bytes of ['\xff', '\xe4\xbd', '\xbd']) {
    const tokens = toTokens(' one', '?', ' two', ' three').map((token, index) => index === 1 ? { ...token, bytes } : token)
    const segments = buildSegments([toSegment(tokens)], WINDOW)
    t.strictSame(wordsOf(segments), [' one\ufffd', ' two', ' three'])
    t.match(segments[0]?.words[1], { startMs: 60_200, endMs: 60_300 }, 'words behind it keep their times')
  }
})

t.test('a space in a separate token stays between the words', async (t) => {
  t.strictSame(splitWords('はい', '。', ' ', 'こんにちは'), ['はい。', ' こんにちは'])
  t.strictSame(splitWords(' Hello', ' ', 'you'), [' Hello', ' you'])
})

t.test('scripts without spaces: each piece is a word, marks stay with the piece before', async (t) => {
  t.strictSame(splitWords('今天', '天气', '很', '好', '。', '我们', '走', '吧', '！'), ['今天', '天气', '很', '好。', '我们', '走', '吧！'])
  t.strictSame(splitWords('東京', 'で', ' OK', 'です'), ['東京', 'で', ' OK', 'です'])
  t.strictSame(splitWords('我', 'O', 'K', '吗'), ['我', 'OK', '吗'])
  t.strictSame(splitWords('ฉัน', 'รัก', 'คุณ'), ['ฉัน', 'รัก', 'คุณ'])
  t.strictSame(splitWords(' 안녕', '하세요', ' 여러분'), [' 안녕하세요', ' 여러분'], 'Korean has spaces')
})

t.test('pieces of nothing but space are no words, and a segment without words is left out', async (t) => {
  t.strictSame(splitWords(' ', 'Hello', ' '), [' Hello'])
  t.strictSame(buildSegments([toSegment([]), toSegment(toTokens(' ', '  '))], WINDOW), [])
  t.strictSame(buildSegments([], WINDOW), [])
})

t.test('a word has the times of its tokens on the clock of the recording, and the mean of their probabilities', async (t) => {
  const tokens = [
    { bytes: ' Hel', startMs: 1200, endMs: 1300, probability: 0.9 },
    { bytes: 'lo', startMs: 1300, endMs: 1550, probability: 0.7 },
    { bytes: ' you', startMs: 1700, endMs: 1900, probability: 0.123_456 }
  ]
  t.strictSame(buildSegments([{ startMs: 1000, endMs: 2000, tokens }], WINDOW), [{
    startMs: 61_000,
    endMs: 62_000,
    text: ' Hello you',
    words: [
      { text: ' Hello', startMs: 61_200, endMs: 61_550, probability: 0.8 },
      { text: ' you', startMs: 61_700, endMs: 61_900, probability: 0.1235 }
    ]
  }])
})

t.test('probabilities stay between 0 and 1', async (t) => {
  const tokens = [{ bytes: ' a', startMs: 0, endMs: 1, probability: 1.00004 }, { bytes: ' b', startMs: 1, endMs: 2, probability: -0.2 }]
  t.strictSame(buildSegments([toSegment(tokens)], WINDOW)[0]?.words.map(({ probability }) => probability), [1, 0])
})

t.test('segments that overlap or run past the window are put in order', async (t) => {
  const segments = buildSegments([
    { startMs: 0, endMs: 9000, tokens: toTokens(' one') },
    { startMs: 4000, endMs: 8000, tokens: toTokens(' two') },
    { startMs: 29_000, endMs: 45_000, tokens: toTokens(' three') }
  ], WINDOW)
  t.strictSame(segments.map(({ startMs, endMs }) => [startMs, endMs]), [[60_000, 69_000], [69_000, 69_000], [89_000, 90_000]])
  t.strictSame(findFaults(segments, BOUNDS), [])
})

t.test('however wild the times, words lie inside segment and window and never go back', async (t) => {
  const random = createRandom(5)
  const wild = (): number => Math.floor((random() - 0.3) * (random() < 0.1 ? 1e9 : 60_000))
  for (let round = 0; round < 200; round++) {
    const decoded = Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({
      startMs: wild(),
      endMs: wild(),
      tokens: toTokens(' a', 'b', '.', ' c', ' d', '。', ' e').map((token) => ({ ...token, startMs: wild(), endMs: wild() }))
    }))
    const segments = buildSegments(decoded, WINDOW)
    t.strictSame(findFaults(segments, BOUNDS), [])
    t.equal(segments.length, decoded.length, 'and no text is lost')
  }
})

t.test('a segment over a silence that was left out becomes two', async (t) => {
  // 1 to 2 s of the recording, then 9 to 11 s.
  const clock = createWindowClock({ startSample: 16_000, endSample: 176_000, gaps: [{ startSample: 32_000, endSample: 144_000 }] })
  const tokens = [' Yes', '.', ' And', ' so'].map((text, index) => ({
    bytes: text,
    startMs: 100 + index * 450,
    endMs: 500 + index * 450,
    probability: 1
  }))
  const segments = buildSegments([{ startMs: 0, endMs: 2500, tokens }], clock)
  t.strictSame(segments.map(({ startMs, endMs, text }) => [startMs, endMs, text]), [[1000, 1950, ' Yes.'], [9000, 10_500, ' And so']])
  const short = createWindowClock({ startSample: 16_000, endSample: 64_000, gaps: [{ startSample: 32_000, endSample: 40_000 }] })
  t.equal(buildSegments([{ startMs: 0, endMs: 2500, tokens }], short).length, 1, 'half a second does not split')
})

/** Tokens from a model with alignment heads. */
const toAligned = (rows: ReadonlyArray<readonly [bytes: string, startMs: number, endMs: number, dtwMs: number]>) =>
  rows.map(([bytes, startMs, endMs, dtwMs]) => ({ bytes, startMs, endMs, dtwMs, probability: 1 }))

t.test('with alignment heads a word begins where the attention moved on, and ends at its punctuation', async (t) => {
  const tokens = toAligned([
    [' Yes', 100, 400, 350],
    [',', 400, 500, 420],
    [' and', 500, 900, 800],
    [' so', 900, 1000, 950],
    [' on', 1000, 3000, 1100],
    ['.', 3000, 3100, 3050]
  ])
  const [segment] = buildSegments([{ startMs: 0, endMs: 3100, tokens }], WINDOW)
  t.strictSame(segment?.words.map(({ text, startMs, endMs }) => [text, startMs - BOUNDS.startMs, endMs - BOUNDS.startMs]), [
    [' Yes,', 100, 420], [' and', 800, 950], [' so', 950, 1100], [' on.', 1100, 3050]
  ])
  const some = tokens
    .map((token, index) => (index === 3 ? { ...token, dtwMs: undefined } : token))
    .map(({ dtwMs, ...token }) => (dtwMs === undefined ? token : { ...token, dtwMs }))
  t.equal(
    buildSegments([{ startMs: 0, endMs: 3100, tokens: some }], WINDOW)[0]?.words[1]?.startMs,
    BOUNDS.startMs + 500,
    'not when one is missing'
  )
})

t.test('a word does not last through a pause', async (t) => {
  const tokens = [' a', ' b', ' c', ' d', ' e'].map((bytes, index) => ({
    bytes,
    startMs: index * 200,
    endMs: index * 200 + 200,
    dtwMs: index * 200 + (index > 2 ? 4000 : 0),
    probability: 1
  }))
  const [segment] = buildSegments([{ startMs: 0, endMs: 6000, tokens }], WINDOW)
  t.equal(segment?.words[2]?.endMs, BOUNDS.startMs + 800)
})

t.test('the last word lasts into its segment, whatever its tokens were timed at before', async (t) => {
  const tokens = toAligned([
    [' one', 0, 300, 0],
    [' two', 300, 600, 500],
    [' three', 600, 850, 900]
  ])
  const last = buildSegments([{ startMs: 0, endMs: 2000, tokens }], WINDOW)[0]?.words.at(-1)
  t.ok(last && last.startMs === BOUNDS.startMs + 900 && last.endMs > last.startMs + 300)
})
