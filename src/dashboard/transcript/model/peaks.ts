/** The waveform: how loud each stretch of a recording is. Pure. */

/** `values`: 0 (silent) to 127. */
export type Peaks = { perSecond: number, values: Uint8Array }

/** From base64. */
export function decodePeaks (peaks: string, perSecond: number): Peaks {
  return { perSecond, values: Uint8Array.from(atob(peaks), (character) => character.charCodeAt(0)) }
}

/** The loudest value of each of `count` equally long stretches of a recording, 0 to 1. */
export function toColumns ({ perSecond, values }: Peaks, durationSeconds: number, count: number): Float32Array {
  const columns = new Float32Array(count)
  const perColumn = durationSeconds * perSecond / count
  for (let column = 0; column < count; column++) {
    const from = Math.floor(column * perColumn)
    const to = Math.max(from + 1, Math.floor((column + 1) * perColumn))
    let top = 0
    for (let place = from; place < to; place++) top = Math.max(top, values[place] ?? 0)
    columns[column] = top / 127
  }
  return columns
}
