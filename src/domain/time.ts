/** Times that people and programs write. Pure. */

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i

/**
 * A full-date or date-time of RFC 3339 (section 5.6) as ms since 1970; a date is its start in UTC. Undefined for anything else, and for
 * days that do not exist. Leap seconds are not accepted.
 */
export function parseTime (text: string): number | undefined {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? []
  // Date.parse turns 30 February into 2 March.
  const start = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  if (year === '' || start.getUTCMonth() !== Number(month) - 1 || start.getUTCDate() !== Number(day)) return undefined
  return Date.parse(text.toUpperCase())
}

const pad = (value: number): string => String(value).padStart(2, '0')

/** Hours, minutes and seconds, such as 01:02:03. */
export function formatClock (ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}
