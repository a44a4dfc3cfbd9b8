/** Within-class covariance normalisation of voice prints (Hatch, Kajarekar and Stolcke, 2006). Matrices are square, row by row. Pure. */

/** Share of the identity, at the same scale, so that the inverse exists and small variances do not count too much. */
const SHARE = 0.15

/** The mean covariance within one voice. `voices`: the voice prints of each. Voices with fewer than two are left out. */
function covarianceWithin (voices: ReadonlyArray<readonly Float32Array[]>): Float64Array {
  const used = voices.filter(({ length }) => length > 1)
  const size = used[0]?.[0]?.length ?? 0
  const sum = new Float64Array(size * size)
  for (const prints of used) {
    const mean = Float64Array.from({ length: size }, (_, i) => prints.reduce((total, print) => total + print[i]!, 0) / prints.length)
    for (const print of prints) {
      const off = mean.map((value, i) => print[i]! - value)
      for (let row = 0; row < size; row++) {
        const scale = off[row]! / prints.length / used.length
        for (let i = 0; i < size; i++) sum[row * size + i]! += scale * off[i]!
      }
    }
  }
  return sum
}

function multiply (a: Float64Array, b: Float64Array, size: number): Float64Array {
  const product = new Float64Array(size * size)
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < size; k++) {
      const value = a[row * size + k]!
      for (let i = 0; i < size; i++) product[row * size + i]! += value * b[k * size + i]!
    }
  }
  return product
}

const identity = (size: number, scale = 1): Float64Array =>
  Float64Array.from({ length: size * size }, (_, index) => index % (size + 1) === 0 ? scale : 0)

/**
 * The inverse square root of a symmetric positive definite matrix, by the coupled Newton-Schulz iteration (Higham, Functions of Matrices,
 * 2008, section 6.7). Throws a RangeError when it does not converge.
 */
export function invertRoot (matrix: Float64Array, size: number): Float64Array {
  const norm = Math.hypot(...matrix)
  let root: Float64Array = matrix.map((value) => value / norm)
  let inverse: Float64Array = identity(size)
  for (let round = 0; round < 60; round++) {
    const product = multiply(inverse, root, size)
    const change = identity(size, 3).map((value, index) => (value - product[index]!) / 2)
    root = multiply(root, change, size)
    inverse = multiply(change, inverse, size)
    const error = Math.max(...product.map((value, index) => Math.abs(value - (index % (size + 1) === 0 ? 1 : 0))))
    if (error < 1e-9) return inverse.map((value) => value / Math.sqrt(norm))
  }
  throw new RangeError('the matrix has no inverse square root')
}

/** The matrix that voice prints are multiplied by. Throws a RangeError when there are too few voice prints. */
export function computeWhitening (voices: ReadonlyArray<readonly Float32Array[]>): Float32Array {
  const within = covarianceWithin(voices)
  const size = Math.sqrt(within.length)
  if (size === 0) throw new RangeError('no voice has two voice prints')
  let trace = 0
  for (let i = 0; i < size; i++) trace += within[i * (size + 1)]!
  const mixed = identity(size, SHARE * trace / size).map((value, index) => value + (1 - SHARE) * within[index]!)
  return Float32Array.from(invertRoot(mixed, size))
}
