/** Values of frames, smoothed over their neighbours. Pure. */

/** The maximum of each value and its neighbours up to `reach` away. */
export function tallestAround (values: Float32Array, reach: number): Float32Array {
  return values.map((_, index) => {
    let tallest = -Infinity
    for (let at = Math.max(0, index - reach); at <= Math.min(values.length - 1, index + reach); at++) {
      if (values[at]! > tallest) tallest = values[at]!
    }
    return tallest
  })
}

/** The sum of each value and its neighbours up to `reach` away. */
export function sumsAround (values: Float32Array, reach: number): Float64Array {
  const sums = new Float64Array(values.length)
  for (let index = 0; index < values.length; index++) {
    let sum = 0
    for (let at = Math.max(0, index - reach); at <= Math.min(values.length - 1, index + reach); at++) sum += values[at]!
    sums[index] = sum
  }
  return sums
}
