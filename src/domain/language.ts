/** Languages: the codes Whisper knows, their names, and the ISO 639-1 code a transcript carries. */
import { AppError } from './errors.js'

/** Whisper's code → English name, in the order of Whisper's own table. */
const NAMES: Readonly<Record<string, string>> = {
  en: 'english', zh: 'chinese', de: 'german', es: 'spanish', ru: 'russian', ko: 'korean', fr: 'french', ja: 'japanese',
  pt: 'portuguese', tr: 'turkish', pl: 'polish', ca: 'catalan', nl: 'dutch', ar: 'arabic', sv: 'swedish', it: 'italian',
  id: 'indonesian', hi: 'hindi', fi: 'finnish', vi: 'vietnamese', he: 'hebrew', uk: 'ukrainian', el: 'greek', ms: 'malay',
  cs: 'czech', ro: 'romanian', da: 'danish', hu: 'hungarian', ta: 'tamil', no: 'norwegian', th: 'thai', ur: 'urdu',
  hr: 'croatian', bg: 'bulgarian', lt: 'lithuanian', la: 'latin', mi: 'maori', ml: 'malayalam', cy: 'welsh', sk: 'slovak',
  te: 'telugu', fa: 'persian', lv: 'latvian', bn: 'bengali', sr: 'serbian', az: 'azerbaijani', sl: 'slovenian', kn: 'kannada',
  et: 'estonian', mk: 'macedonian', br: 'breton', eu: 'basque', is: 'icelandic', hy: 'armenian', ne: 'nepali', mn: 'mongolian',
  bs: 'bosnian', kk: 'kazakh', sq: 'albanian', sw: 'swahili', gl: 'galician', mr: 'marathi', pa: 'punjabi', si: 'sinhala',
  km: 'khmer', sn: 'shona', yo: 'yoruba', so: 'somali', af: 'afrikaans', oc: 'occitan', ka: 'georgian', be: 'belarusian',
  tg: 'tajik', sd: 'sindhi', gu: 'gujarati', am: 'amharic', yi: 'yiddish', lo: 'lao', uz: 'uzbek', fo: 'faroese',
  ht: 'haitian creole', ps: 'pashto', tk: 'turkmen', nn: 'nynorsk', mt: 'maltese', sa: 'sanskrit', lb: 'luxembourgish',
  my: 'myanmar', bo: 'tibetan', tl: 'tagalog', mg: 'malagasy', as: 'assamese', tt: 'tatar', haw: 'hawaiian', ln: 'lingala',
  ha: 'hausa', ba: 'bashkir', jw: 'javanese', su: 'sundanese', yue: 'cantonese'
}

/** Whisper's codes that differ from ISO 639-1. Hawaiian and Cantonese have no ISO 639-1 code and keep Whisper's. */
const ISO_CODES: Readonly<Record<string, string>> = { jw: 'jv' }

/** Other spellings people use. */
const ALIASES: Readonly<Record<string, string>> = {
  jv: 'jw', iw: 'he', in: 'id', nb: 'no', fil: 'tl', filipino: 'tl', mandarin: 'zh', castilian: 'es', valencian: 'ca', flemish: 'nl',
  burmese: 'my', moldavian: 'ro', moldovan: 'ro', panjabi: 'pa', pushto: 'ps', sinhalese: 'si', letzeburgesch: 'lb', haitian: 'ht'
}

const CODES = new Map<string, string>([
  ...Object.keys(NAMES).map((code) => [code, code] as const),
  ...Object.entries(NAMES).map(([code, name]) => [name, code] as const),
  ...Object.entries(ALIASES)
])

/**
 * Parses a language code or English name as people write it ("de", "German", "de-AT") to Whisper's code. Undefined for "auto". Throws
 * `invalid_request` for anything else.
 */
export function parseLanguage (input: string): string | undefined {
  const text = input.trim().toLowerCase()
  if (text === 'auto') return undefined
  const code = CODES.get(text) ?? CODES.get(text.split(/[-_]/)[0] ?? '')
  if (!code) {
    throw new AppError(
      'invalid_request',
      'language: not a language the speech models know. Give a code such as "en" or "de", a name such as "german", or leave it out.'
    )
  }
  return code
}

/** The code in transcripts: ISO 639-1 where the language has one. */
export function toIsoCode (whisperCode: string): string {
  return ISO_CODES[whisperCode] ?? whisperCode
}

export type LanguagePosterior = { language: string, probability: number }

/** The mean of several posteriors, most likely first. */
export function averagePosteriors (samples: ReadonlyArray<readonly LanguagePosterior[]>): LanguagePosterior[] {
  const sums = new Map<string, number>()
  for (const { language, probability } of samples.flat()) sums.set(language, (sums.get(language) ?? 0) + probability)
  return [...sums].map(([language, sum]) => ({ language, probability: sum / samples.length })).sort((a, b) => b.probability - a.probability)
}

/** The most likely language over several samples. */
export function voteLanguage (samples: ReadonlyArray<readonly LanguagePosterior[]>): string {
  return averagePosteriors(samples)[0]?.language ?? 'en'
}

/** A window whose most likely language has at least this probability is in one language. Windows in two languages stay far below. */
export const SURE_LANGUAGE_PROBABILITY = 0.97

const likelihood = (posteriors: readonly LanguagePosterior[], language: string): number =>
  posteriors.find((posterior) => posterior.language === language)?.probability ?? 0

/** Added to every probability, so that a single posterior cannot rule out a language. */
const LEAST_PROBABILITY = 0.005
/** The probability that the language changes between two phrases. One odd phrase of a second is not a change; a whole sentence is. */
const CHANGE_PROBABILITY = 0.05
/** A phrase of this length counts as one observation. Longer phrases count for more, up to twice as much. */
const OBSERVATION_MS = 1500

/** The language probabilities of one phrase, and how much of it is speech. */
export type PhraseLanguage = { posteriors: readonly LanguagePosterior[], speechMs: number }

/**
 * The language of each phrase of a window: the most likely path through their posteriors (Viterbi), with a cost for each change. `prior`:
 * the posteriors of the whole recording.
 */
export function assignLanguages (phrases: readonly PhraseLanguage[], prior: readonly LanguagePosterior[]): string[] {
  const known = [...prior.slice(0, 1), ...phrases.flatMap(({ posteriors }) => posteriors.slice(0, 2))]
  const languages = [...new Set(known.map(({ language }) => language))]
  let paths = languages.map((language) => ({ cost: -Math.log(likelihood(prior, language) + LEAST_PROBABILITY), path: [] as string[] }))
  for (const { posteriors, speechMs } of phrases) {
    const weight = Math.min(2, speechMs / OBSERVATION_MS)
    const cheapest = paths.reduce((best, path) => path.cost < best.cost ? path : best, paths[0] ?? { cost: 0, path: [] })
    paths = languages.map((language, index) => {
      const staying = paths[index] ?? cheapest
      const changed = cheapest.cost - Math.log(CHANGE_PROBABILITY)
      const from = staying.cost <= changed ? staying : { ...cheapest, cost: changed }
      return { cost: from.cost - weight * Math.log(likelihood(posteriors, language) + LEAST_PROBABILITY), path: [...from.path, language] }
    })
  }
  return paths.reduce((best, path) => path.cost < best.cost ? path : best, paths[0] ?? { cost: 0, path: [] }).path
}

/** Indexes of the windows to sample, out of `count`: three spread over the recording, or all when there are at most three. */
export function languageSamples (count: number): number[] {
  if (count <= 3) return Array.from({ length: count }, (_, index) => index)
  return [1, 3, 5].map((sixth) => Math.floor(count * sixth / 6))
}
