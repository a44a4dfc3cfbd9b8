/** Order statistics of measurements. */

export function median (values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return NaN
  return sorted.length % 2 === 1 ? sorted[middle] as number : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** The value that `share` of all values do not exceed (nearest rank). */
export function percentile (values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN
}

/** Largest value; unlike Math.max it takes lists of any length. */
export function largest (values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity)
}
