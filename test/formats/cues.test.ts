import t from 'tap'
import { cutCues } from '../../dist/formats/cues.js'
import type { Cue } from '../../dist/formats/cues.js'
import type { TimedSegment, TimedWord } from '../../dist/domain/transcript.js'
import { bare, findCaptionFaults, findTooFast, LANGUAGES, makeSpeech } from '../support/captions.ts'

type Said = [text: string, startMs: number, endMs: number, speaker?: string | undefined]

function toSegments (...said: Said[]): TimedSegment[] {
  const words = said.map(([text, startMs, endMs, speaker]): TimedWord => ({
    text,
    startMs,
    endMs,
    probability: 1,
    ...(speaker === undefined ? {} : { speaker })
  }))
  return [{ startMs: words[0]?.startMs ?? 0, endMs: words.at(-1)?.endMs ?? 0, text: words.map(({ text }) => text).join(''), words }]
}

/** Text said from `startMs` on, every word this long; words are separated as text is. */
function say (text: string, startMs = 0, wordMs = 400, speaker?: string): Said[] {
  return text.split(/(?= )/).map((word, index) => [word, startMs + index * wordMs, startMs + (index + 1) * wordMs, speaker])
}

function cut (segments: TimedSegment[], durationMs = 0): Cue[] {
  return [...cutCues({ segments, durationMs })]
}

const joined = (cues: readonly Cue[]): string => cues.flatMap(({ lines }) => lines).join('')
const endOf = (segments: readonly TimedSegment[]): number => Math.max(...segments.map(({ endMs }) => endMs))
/** What no file can hold is left out, or replaced. */
const writable = (text: string): string => bare(text.replaceAll('\u0000', '').replace(/\p{Cs}/gu, '\ufffd'))

t.test('for any words and times the rules hold and no text is lost', async (t) => {
  let count = 0
  for (const languages of [...LANGUAGES.map((language) => [language]), LANGUAGES]) {
    for (let seed = 1; seed <= 24; seed++) {
      const segments = makeSpeech({
        seed,
        count: 150,
        languages,
        wild: seed % 3 > 0,
        speakers: seed % 2 === 0 ? 3 : 0,
        msPerCharacter: 5 * seed
      })
      const cues = cut(segments, seed % 4 === 0 ? 0 : endOf(segments))
      const faults = findCaptionFaults(cues)
      if (faults.length > 0) t.strictSame(faults, [], `${languages.join()}, seed ${seed}`)
      if (bare(joined(cues)) !== writable(segments.map(({ text }) => text).join(''))) {
        t.fail(`text is lost: ${languages.join()}, seed ${seed}`)
      }
      count += cues.length
    }
  }
  t.ok(count > 5000, `${count} cues`)
})

t.test('speech of 18 characters per second is always readable', async (t) => {
  for (const language of LANGUAGES.filter((language) => language !== 'odd')) {
    for (let seed = 1; seed <= 5; seed++) {
      const segments = makeSpeech({ seed, count: 300, languages: [language], speakers: seed % 2 === 0 ? 2 : 0, msPerCharacter: 1000 / 18 })
      const cues = cut(segments, endOf(segments) + 1000)
      t.strictSame(findTooFast(cues), [], `${language}, seed ${seed}`)
      const starts = new Set(segments.flatMap(({ words }) => words.map(({ startMs }) => startMs)))
      const shifted = cues.filter(({ startMs }) => !starts.has(startMs))
      t.ok(shifted.length <= cues.length / 20, `${shifted.length} of ${cues.length} cues begin before or after their first word`)
    }
  }
})

t.test('cues end with sentences and clauses, lines with clauses', async (t) => {
  const cues = cut(
    toSegments(...say('Good morning, and thank you for coming today. The meeting starts at nine in the large room, and it ends at noon.'))
  )
  t.strictSame(cues.map(({ lines }) => lines), [
    ['Good morning,', 'and thank you for coming today.'],
    ['The meeting starts at nine in the', 'large room, and it ends at noon.']
  ])
})

t.test('a change of speaker ends a cue; replies too short for that share one, each on its line', async (t) => {
  const [one, two] = ['Speaker 1', 'Speaker 2']
  const calm = cut(toSegments(...say('Are you here?', 0, 400, one), ...say(' I am here.', 1200, 400, two)))
  t.strictSame(calm.map(({ lines }) => lines), [['Are you here?'], ['I am here.']])
  const quick = cut(
    toSegments(...say('Here?', 0, 300, one), ...say(' Yes, here.', 300, 200, two), ...say(' And now we begin with it.', 700, 400, one))
  )
  t.strictSame(quick.map(({ lines }) => lines), [['Here?', 'Yes, here.'], ['And now we begin with it.']])
})

t.test('words without a speaker belong to the one who spoke before', async (t) => {
  const cues = cut(toSegments(['So', 0, 500, 'Speaker 1'], [' we', 500, 1000], [' begin', 1000, 1500, 'Speaker 1']))
  t.strictSame(cues.map(({ lines }) => lines), [['So we begin']])
})

t.test('a short cue stays into the silence behind it, no longer than it takes to read', async (t) => {
  t.strictSame(cut(toSegments(['Yes.', 1000, 1200], [' No.', 9000, 9200]), 60_000), [
    { startMs: 1000, endMs: 1834, lines: ['Yes.'] },
    { startMs: 9000, endMs: 9834, lines: ['No.'] }
  ])
  const [fast] = cut(toSegments(...say('Forty characters of text said in a second', 0, 120)), 60_000)
  t.strictSame(fast, { startMs: 0, endMs: 2050, lines: ['Forty characters of text said in a second'] })
})

t.test('at the end of a recording a cue comes early rather than staying too long', async (t) => {
  t.strictSame(cut(toSegments(['Bye.', 9600, 9900]), 10_000), [{ startMs: 9166, endMs: 10_000, lines: ['Bye.'] }])
  t.strictSame(
    cut(toSegments(['Bye.', 100, 200]), 200),
    [{ startMs: 0, endMs: 834, lines: ['Bye.'] }],
    'when there is no room at all, it ends after the recording'
  )
})

t.test('a flicker between cues is closed', async (t) => {
  const cues = cut(toSegments(...say('This is the first sentence.', 0, 500), ...say(' And this is the second one.', 2700, 500)), 60_000)
  t.match(cues, [{ endMs: 2700 }, { startMs: 2700 }])
})

t.test('words longer than a cue, and silence inside a cue', async (t) => {
  t.strictSame(cut(toSegments(['Endless', 0, 3_600_000], [' speech.', 3_600_000, 3_600_500]), 4_000_000), [
    { startMs: 0, endMs: 7000, lines: ['Endless'] },
    { startMs: 3_600_000, endMs: 3_600_834, lines: ['speech.'] }
  ])
  t.equal(cut(toSegments(['We', 0, 300], [' wait', 2400, 2800])).length, 2)
})

t.test('text without spaces is broken between its own words, never before what closes', async (t) => {
  const thai = cut(toSegments(['การประชุมเริ่มต้นเวลาเก้าโมงเช้าในห้องประชุมใหญ่ของอาคารสำนักงานแห่งใหม่', 0, 7000]))
  const words = new Set([...new Intl.Segmenter('th', { granularity: 'word' }).segment(joined(thai))].map(({ index }) => index))
  let offset = 0
  for (const line of thai.flatMap(({ lines }) => lines)) {
    t.ok(words.has(offset), `"${line}" begins with a word`)
    offset += line.length
  }
  t.ok(thai.flatMap(({ lines }) => lines).length > 1)
  const japanese = cut(toSegments(...[...'今日の会議は「新しい事務所」で、午前九時に始まります。'].map((text, index): Said => [text, index * 150, index * 150 + 150])))
  t.strictSame(joined(japanese), '今日の会議は「新しい事務所」で、午前九時に始まります。')
  for (const line of japanese.flatMap(({ lines }) => lines)) t.notMatch(line, /^[」、。]|「$/)
})

t.test('a word wider than a line is broken between characters', async (t) => {
  const cues = cut(toSegments(['See', 0, 300], [' ' + 'é'.repeat(100), 300, 6000]))
  t.strictSame(findCaptionFaults(cues), [])
  t.strictSame(
    cues.flatMap(({ lines }) => lines).map((line) => line.replaceAll('e\u0301', 'e').length > 0),
    cues.flatMap(({ lines }) => lines).map(() => true)
  )
  const marks = cut(toSegments(['x' + '\u0301'.repeat(500), 0, 6000]))
  t.strictSame(findCaptionFaults(marks), [], 'nor do marks without end break a rule')
  t.equal(joined(marks).length, 501)
})

t.test('a segment without words is cut all the same', async (t) => {
  const [segment] = toSegments(['x', 0, 1])
  const text = ' A segment that came with a text but without any words, which should never happen, has times enough to be read.'
  const cues = cut([{ ...segment as TimedSegment, text, startMs: 1000, endMs: 9000, words: [] }])
  t.equal(bare(joined(cues)), bare(text))
  t.strictSame(findCaptionFaults(cues), [])
  t.strictSame(findTooFast(cues), [])
})

t.test('a transcript without text has no cues', async (t) => {
  t.strictSame(cut([]), [])
  t.strictSame(cut(toSegments([' ', 0, 100], ['\u00a0', 100, 200], ['\u0007', 200, 300])), [])
})
