/** Text that every format can hold, and readable times. */
import { formatClock } from '../domain/time.js'

/** Characters that XML 1.0 and WebVTT cannot hold, and invisible ones: control characters that are not white space. */
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]/g
/** A lone surrogate. */
const HALF = /\p{Cs}/gu
/** White space where a line may break: all except no-break spaces, which French uses before question marks. */
const BREAKING_SPACE = /(?:(?![\u00a0\u202f\u2007])[\s\u0085])+/g

/** Removes control characters and lone surrogates and collapses white space to single spaces. Spaces at the ends stay. */
export function toPrintable (text: string): string {
  return text.replace(HALF, '\ufffd').replace(UNPRINTABLE, '').replace(BREAKING_SPACE, ' ')
}

/** A day in UTC, as in 2026-11-21. `ms`: milliseconds since 1970. */
export function formatDay (ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

/** A subtitle time such as 01:02:03,004. WebVTT uses a full stop where SubRip uses a comma. */
export function formatTimecode (ms: number, separator: ',' | '.'): string {
  return `${formatClock(ms)}${separator}${String(ms % 1000).padStart(3, '0')}`
}

/** The English name and code of a language, such as "German (de)". */
export function formatLanguage (code: string): string {
  const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(code)
  return name === undefined || name === code ? code : `${name} (${code})`
}
