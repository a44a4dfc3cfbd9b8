/** Times, sizes and shares as the language of the page writes them. */
import { useMemo } from 'react'
import { useTexts } from '../i18n/index.tsx'

const MINUTE_MS = 60_000
const STEPS = [
  { unit: 'day', ms: 24 * 60 * MINUTE_MS }, { unit: 'hour', ms: 60 * MINUTE_MS }, { unit: 'minute', ms: MINUTE_MS }
] as const
/** Beyond this a date says more than a number of days. */
const RELATIVE_DAYS = 30
const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** The browser's own form of the language, such as en-GB: it knows how the person writes dates. */
const formOf = (language: string): string => navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language

function createFormats (page: string) {
  const language = formOf(page)
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  // Days of the usage are those of UTC.
  const shortDay = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  return {
    /** Date and time of day. */
    moment: (iso: string): string => moment.format(new Date(iso)),
    day: (iso: string): string => day.format(new Date(iso)),
    /** Day and month of a date such as 2026-11-21. */
    shortDay: (date: string): string => shortDay.format(new Date(date)),
    /** How long ago, or how far ahead; for what is older than a month, the date. */
    ago (iso: string, nowMs: number = Date.now()): string {
      const away = new Date(iso).getTime() - nowMs
      const step = STEPS.find(({ ms }) => Math.abs(away) >= ms)
      if (step === undefined) return relative.format(0, 'minute')
      const isFar = Math.abs(away) > RELATIVE_DAYS * STEPS[0].ms
      return isFar ? day.format(new Date(iso)) : relative.format(Math.trunc(away / step.ms), step.unit)
    },
    /** A number of bytes in the unit that fits, with powers of 1000. */
    bytes (count: number): string {
      const power = Math.min(SIZES.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3))
      const options = { style: 'unit', unit: SIZES[power], unitDisplay: 'short', maximumFractionDigits: power > 2 ? 1 : 0 } as const
      return new Intl.NumberFormat(language, options).format(count / 1000 ** power)
    },
    /** A share from 0 to 1. */
    share: (value: number): string => share.format(value),
    number: (value: number, digits = 0): string => new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value),
    /** The name of a language by its code. */
    languageName: (code: string): string => new Intl.DisplayNames([language], { type: 'language' }).of(code) ?? code
  }
}

export function useFormats () {
  const { language } = useTexts()
  return useMemo(() => createFormats(language), [language])
}
