/** Sizes, rates and remaining times as people read them. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
/** Rates are averaged over this time. */
const RATE_SPAN_MS = 10_000

/** `147951465` is "141.1 MiB". */
export function formatBytes (bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${UNITS[power] ?? ''}`
}

/** "45 s", "12 min", "3 h 20 min". */
export function formatSeconds (seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Measures how fast bytes arrive. `record` takes the total so far; bytes present before the first call do not count. */
export function createRateMeter (now: () => number) {
  let samples: Array<{ atMs: number, bytes: number }> = []
  return {
    record (bytes: number): void {
      const atMs = now()
      // The total shrank: the download started over.
      if (bytes < (samples.at(-1)?.bytes ?? 0)) samples = []
      samples = [...samples.filter((sample) => atMs - sample.atMs <= RATE_SPAN_MS), { atMs, bytes }]
    },
    /** Undefined until there is enough data, at least half a second. */
    bytesPerSecond (): number | undefined {
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last || last.atMs - first.atMs < 500 || last.bytes === first.bytes) return undefined
      return (last.bytes - first.bytes) * 1000 / (last.atMs - first.atMs)
    }
  }
}

/** "71.0 MiB of 141.1 MiB, 12.3 MiB/s, 6 s left". */
export function describeTransfer (doneBytes: number, totalBytes: number | undefined, bytesPerSecond: number | undefined): string {
  return [
    totalBytes === undefined ? formatBytes(doneBytes) : `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`,
    ...(bytesPerSecond === undefined ? [] : [`${formatBytes(Math.round(bytesPerSecond))}/s`]),
    ...(bytesPerSecond === undefined || totalBytes === undefined
      ? []
      : [`${formatSeconds((totalBytes - doneBytes) / bytesPerSecond)} left`])
  ].join(', ')
}
