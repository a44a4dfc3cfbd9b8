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

/** Whisper's codes that are not the ISO 639-1 code of the language. Hawaiian and Cantonese have no such code and keep theirs. */
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
 * Whisper's code for a code or English name as a person writes it ("de", "German", "de-AT"); undefined for "auto".
 * Throws `invalid_request` for anything else.
 */
export function parseLanguage (input: string): string | undefined {
  const text = input.trim().toLowerCase()
  if (text === 'auto') return undefined
  const code = CODES.get(text) ?? CODES.get(text.split(/[-_]/)[0] ?? '')
  if (!code) throw new AppError('invalid_request', 'language: not a language the speech models know. Give a code such as "en" or "de", a name such as "german", or leave it out.')
  return code
}

/** The code a transcript carries: ISO 639-1 where there is one. */
export function toIsoCode (whisperCode: string): string {
  return ISO_CODES[whisperCode] ?? whisperCode
}

export type LanguagePosterior = { language: string, probability: number }

/** The most likely language over several samples: posteriors averaged, so that one odd sample does not decide. */
export function voteLanguage (samples: ReadonlyArray<readonly LanguagePosterior[]>): string {
  const sums = new Map<string, number>()
  for (const { language, probability } of samples.flat()) sums.set(language, (sums.get(language) ?? 0) + probability)
  const [best] = [...sums].sort(([, a], [, b]) => b - a)
  return best?.[0] ?? 'en'
}

/** Which of `count` windows to sample: three spread over the recording, or all when there are fewer. */
export function languageSamples (count: number): number[] {
  if (count <= 3) return Array.from({ length: count }, (_, index) => index)
  return [1, 3, 5].map((sixth) => Math.floor(count * sixth / 6))
}
