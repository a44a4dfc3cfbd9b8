/** The lowest pace of a download. A source that sends next to nothing would otherwise hold its place for hours. */

/** How often the pace is checked. */
export const PACE_MS = 60_000
/** 16 KiB a minute are 2 kbit/s: less than any recording needs to be spoken. */
const MIN_BYTES = 16 * 1024
/** 1 MiB a minute are 140 kbit/s, the rate at which a podcast plays. So those who wait for a place wait for real downloads only. */
const MIN_CONTENDED_BYTES = 1024 ** 2

/** True when this many bytes in `PACE_MS` are too few. `isContended`: others wait for a place. */
export const isTooSlow = (bytes: number, isContended: boolean): boolean => bytes < (isContended ? MIN_CONTENDED_BYTES : MIN_BYTES)
