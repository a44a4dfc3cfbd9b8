/** Arithmetic with vectors. Pure. */

/** The dot product of two vectors of the same length; of unit vectors, it is their cosine. Four sums do not wait for each other. */
export function dot (a: Float32Array, b: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  const whole = a.length - a.length % 4
  for (let i = whole; i < a.length; i++) first += a[i]! * b[i]!
  for (let i = 0; i < whole; i += 4) {
    first += a[i]! * b[i]!
    second += a[i + 1]! * b[i + 1]!
    third += a[i + 2]! * b[i + 2]!
    fourth += a[i + 3]! * b[i + 3]!
  }
  return first + second + third + fourth
}
