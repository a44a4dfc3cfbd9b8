/** Times as people of a language write them. */
import { useMemo } from 'react'
import { useTexts } from '../i18n/index.tsx'

/** For screen readers and datetime attributes: "PT1M5S". */
export const toIsoDuration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  return `PT${Math.floor(whole / 3600)}H${Math.floor(whole / 60) % 60}M${whole % 60}S`
}

const DAY_MS = 24 * 60 * 60 * 1000

/** Formats by the language of the page; the same objects while it stays. */
export function useTimes () {
  const { language } = useTexts()
  return useMemo(() => {
    // Of the same language, the one that the browser asks for: British times have 24 hours.
    const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
    const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
    const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' })
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
    const percents = new Intl.NumberFormat(language, { style: 'percent' })
    const startOf = (date: Date): number => new Date(date).setHours(0, 0, 0, 0)
    return {
      /** "today 14:05", "yesterday 9:00", "3 Mar", "3 Mar 2024". */
      when (iso: string, now = new Date()): string {
        const date = new Date(iso)
        const days = Math.round((startOf(now) - startOf(date)) / DAY_MS)
        if (days === 0 || days === 1) return `${relative.format(-days, 'day')} ${time.format(date)}`
        return (date.getFullYear() === now.getFullYear() ? day : dayOfYear).format(date)
      },
      full: (iso: string): string => full.format(new Date(iso)),
      /** 0.375 → "37%": what is not finished never reads as 100%. */
      percent: (share: number): string => percents.format(Math.floor(share * 100) / 100)
    }
  }, [language])
}
