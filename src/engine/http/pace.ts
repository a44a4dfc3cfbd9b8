/** A source that brings next to nothing would hold its place for days. */

/** How often the pace is looked at. */
export const PACE_MS = 60_000
const MIN_BYTES = 16 * 1024

/** True when so few bytes in `PACE_MS` are no download any more. */
export const isTooSlow = (bytes: number): boolean => bytes < MIN_BYTES
