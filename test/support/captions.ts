/** An independent check of the caption rules, and transcripts that try to break them. */
import { createRandom } from './random.ts'
import type { TimedSegment, TimedWord } from '../../dist/domain/transcript.js'

export type Caption = { startMs: number, endMs: number, lines: string[] }

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** How full a line is: 1 is 42 characters, or 16 of a full-width script. */
function fullness (line: string): number {
  const characters = [...line]
  const wide = characters.filter((character) => WIDE.test(character)).length
  return wide / 16 + (characters.length - wide) / 42
}

/** Violations of the rules in these captions. `countTooFast` checks reading speed. */
export function findCaptionFaults (captions: readonly Caption[]): string[] {
  return captions.flatMap(({ startMs, endMs, lines }, index) => {
    const lengthMs = endMs - startMs
    const previous = captions[index - 1]
    return [
      ...(Number.isInteger(startMs) && Number.isInteger(endMs) && startMs >= 0 ? [] : ['no times']),
      ...(lengthMs < 5000 / 6 ? [`only ${lengthMs} ms`] : []),
      ...(lengthMs > 7000 ? [`${lengthMs} ms`] : []),
      ...(previous && previous.endMs > startMs ? ['overlaps'] : []),
      ...(lines.length < 1 || lines.length > 2 ? [`${lines.length} lines`] : []),
      ...lines.filter((line) => line === '' || line !== line.trim()).map((line) => `empty or with space around it: "${line}"`),
      ...lines.filter((line) => fullness(line) > 1 + 1e-9).map((line) => `too wide: "${line}"`)
    ].map((fault) => `cue ${index} at ${startMs}: ${fault}`)
  })
}

/** Counts captions faster than 20 characters per second. */
export function findTooFast (captions: readonly Caption[]): Caption[] {
  return captions.filter(({ startMs, endMs, lines }) => [...lines.join('\n')].length > 20 * (endMs - startMs) / 1000)
}

/** Text without white space, which cutting must not change. */
export const bare = (text: string): string => text.replace(/\s+/g, '')

const VOCABULARY = {
  english: [
    'a',
    'the',
    'of',
    'meeting',
    'starts',
    'at',
    'nine',
    'well,',
    'yes.',
    'No?',
    'transcription',
    'café',
    'it’s',
    '“quoted”',
    'Mr.',
    '3.5',
    'so:',
    '— and'
  ],
  chinese: ['今', '天', '我', '们', '要', '讨论', '一下，', '好。', '会议', '「开始」', 'OK', '转写', '？'],
  japanese: ['です', '。', 'ます', 'コンピューター', 'は', '、', '今日', 'っ', 'ゃ', 'きょう', '「', '」', 'の', 'ー'],
  thai: ['การ', 'ประชุม', 'เริ่ม', 'ต้น', ' เก้า', 'โมง', 'เช้า', 'ที่', 'ํ', '้'],
  korean: ['회의는', '아홉', '시에', '시작합니다.', '네,'],
  arabic: ['يبدأ', 'الاجتماع', 'في', 'التاسعة،', 'نعم.', 'هل؟'],
  hindi: ['बैठक', 'नौ', 'बजे', 'शुरू', 'होगी।', 'हाँ,'],
  odd: [
    '',
    ' ',
    '\u00a0',
    '\n',
    '\u0000x',
    '👩‍👩‍👧‍👦',
    '\u200d',
    'e\u0301',
    '<b>',
    '-->',
    '& so',
    '&amp;',
    '1',
    '\ud800',
    'W'.repeat(43),
    '長'.repeat(40),
    'x'.repeat(300),
    'ก' + '้'.repeat(90),
    'https://example.org/a?b=c&d=<e>#f',
    '{\\an8}',
    '*',
    '_under_',
    '#',
    '`code`',
    '[a](b)'
  ]
} as const
export const LANGUAGES = Object.keys(VOCABULARY) as Array<keyof typeof VOCABULARY>
const SPACELESS = new Set<string>(['chinese', 'japanese', 'thai'])

/** A word with good, missing, overlapping or hour-long times, or hours late. */
function wildTimes (random: () => number, clockMs: number): [startMs: number, endMs: number] {
  const kind = random()
  const startMs = Math.floor(
    clockMs + (kind < 0.6 ? 80 * random() : kind < 0.8 ? 0 : kind < 0.9 ? 3000 * random() : kind < 0.98 ? -500 * random() : 3_600_000)
  )
  const length = random()
  return [
    Math.max(0, startMs),
    Math.max(0, startMs) +
      Math.floor(length < 0.7 ? 500 * random() : length < 0.95 ? 0 : length < 0.99 ? 9000 * random() : 3_600_000 * random())
  ]
}

const tameTimes = (random: () => number, clockMs: number, text: string, msPerCharacter: number): [startMs: number, endMs: number] => {
  const pauseMs = random() < 0.15 ? 200 + 1500 * random() : 0
  const startMs = Math.floor(clockMs + pauseMs)
  return [startMs, startMs + Math.floor([...text].length * msPerCharacter * (0.8 + 0.4 * random()))]
}

export type Manner = {
  seed: number
  count: number
  languages: readonly string[]
  wild?: boolean
  msPerCharacter?: number
  speakers?: number
}

/** Segments of random words. Tame: consecutive, at the given milliseconds per character. */
export function makeSpeech ({ seed, count, languages, wild = false, msPerCharacter = 70, speakers = 0 }: Manner): TimedSegment[] {
  const random = createRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const segments: TimedSegment[] = []
  let clockMs = 0
  let speaker = 1
  while (count > 0) {
    const words: TimedWord[] = []
    const language = pick(languages)
    for (let left = Math.ceil(12 * random()); left > 0 && count > 0; left--, count--) {
      const bareWord = pick(VOCABULARY[language as keyof typeof VOCABULARY])
      const text = SPACELESS.has(language) || (wild && random() < 0.1) ? bareWord : ' ' + bareWord
      const [startMs, endMs] = wild ? wildTimes(random, clockMs) : tameTimes(random, clockMs, text, msPerCharacter)
      clockMs = Math.max(clockMs, wild && endMs - startMs > 60_000 && random() < 0.5 ? startMs : endMs)
      if (random() < 0.05) speaker = 1 + Math.floor(random() * Math.max(1, speakers))
      words.push({ text, startMs, endMs, probability: 1, ...(speakers > 0 && random() < 0.95 ? { speaker: `Speaker ${speaker}` } : {}) })
    }
    const times = words.flatMap(({ startMs, endMs }) => [startMs, endMs])
    segments.push({ startMs: Math.min(...times), endMs: Math.max(...times), text: words.map(({ text }) => text).join(''), words })
  }
  return segments
}
