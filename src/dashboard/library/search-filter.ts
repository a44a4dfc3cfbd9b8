/** The filters of the search: as the address has them, for the request, and for the recordings that are found by name. */
import { SECRET_PARAMETERS } from '../api/agreed.ts'
import type { Recording } from '../recordings/recordings.ts'
import type { LibrarySearch, SearchChange } from './search-params.ts'

/** In the order in which they are shown. */
export const FILTERS = ['language', 'speaker', 'from', 'to', 'source'] as const
export type FilterName = typeof FILTERS[number]
export type SearchFilter = Partial<Record<FilterName, string>>

export const NO_FILTERS: SearchChange = { language: undefined, speaker: undefined, from: undefined, to: undefined, source: undefined }

/** The beginning of a day such as 2026-11-22 where this browser is, or of a day after it; undefined: there is no such day. */
function startOf (day: string | undefined, daysLater = 0): Date | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + daysLater)
  return Number.isNaN(start.getTime()) ? undefined : start
}

/** The filters that are set. What makes no sense in an address is left out. */
export function readFilter (search: LibrarySearch): SearchFilter {
  const isDay = (name: FilterName): boolean => name === 'from' || name === 'to'
  return Object.fromEntries(FILTERS.flatMap((name) => {
    const value = search[name]
    return value === undefined || (isDay(name) && startOf(value) === undefined) ? [] : [[name, value]]
  }))
}

/** As the search takes it: the last day counts as a whole. */
export const toQuery = ({ language, speaker, from, to, source }: SearchFilter) => ({
  language, speaker, from: startOf(from)?.toISOString(), before: startOf(to, 1)?.toISOString(), sourceUrl: source
})

/** Whether a recording is among those that may be found. Its language is not looked at: the list has that filter. */
export function fits (recording: Recording, filter: SearchFilter): boolean {
  const { speaker, from, before, sourceUrl } = toQuery(filter)
  const { createdAt, speakers } = recording
  return (speaker === undefined || speakers.includes(speaker)) &&
    (from === undefined || createdAt >= from) && (before === undefined || createdAt < before) &&
    (sourceUrl === undefined || recording.sourceUrl === sourceUrl)
}

const SECRET_PARAMETER = new RegExp(`^(${SECRET_PARAMETERS.join('|')})$`, 'i')

/** An address as recordings have it: without secrets, and without the place in a page. */
export function toSource (text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  Object.assign(url, { username: '', password: '', hash: '' })
  for (const name of [...url.searchParams.keys()]) if (SECRET_PARAMETER.test(name)) url.searchParams.delete(name)
  return url.href
}
