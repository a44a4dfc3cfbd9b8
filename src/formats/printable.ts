/** Text that every format can hold, and times as people write them. */

/** What XML 1.0 and WebVTT cannot hold, and what nobody can see: control characters but those that are white space. */
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]/g
/** Half of a surrogate pair. */
const HALF = /\p{Cs}/gu
/** White space at which a line may break: everything but no-break spaces, which French has before its question marks. */
const BREAKING_SPACE = /(?:(?![\u00a0\u202f\u2007])[\s\u0085])+/g

/** The same text without control characters and halves of characters, each run of white space one space. Spaces at the ends stay. */
export function toPrintable (text: string): string {
  return text.replace(HALF, '\ufffd').replace(UNPRINTABLE, '').replace(BREAKING_SPACE, ' ')
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0')

/** Hours, minutes and seconds, as in 01:02:03. */
export function formatClock (ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`
}

/** A day in UTC, as in 2026-11-21. `ms`: milliseconds since 1970. */
export function formatDay (ms: number): string {
  return new Date(ms).toISOString().replace(/T.*/, '')
}

/** A time of a subtitle, as in 01:02:03,004; WebVTT has a full stop where SubRip has a comma. */
export function formatTimecode (ms: number, separator: ',' | '.'): string {
  return `${formatClock(ms)}${separator}${pad(ms % 1000, 3)}`
}

/** A language by its English name and code, as in "German (de)". */
export function formatLanguage (code: string): string {
  const name = new Intl.DisplayNames(['en'], { type: 'language' }).of(code)
  return name === undefined || name === code ? code : `${name} (${code})`
}
