/** 16-bit floats in model files. V8 has Float16Array only since Node 24. */

const word = new Float32Array(1)
const bits = new Uint32Array(word.buffer)

/** Converts IEEE 754 binary16 to a number. */
export function halfToNumber (half: number): number {
  const [sign, exponent, fraction] = [half & 0x8000 ? -1 : 1, (half >> 10) & 31, half & 1023]
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Converts a number to the nearest IEEE 754 binary16, ties to even; out of range becomes infinity. */
export function numberToHalf (value: number): number {
  word[0] = value
  const all = bits[0] ?? 0
  const sign = (all >>> 16) & 0x8000
  const magnitude = all & 0x7fffffff
  if (magnitude > 0x7f800000) return sign | 0x7e00
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00
  if (magnitude < 0x38800000) {
    // Below 2^-14, steps are 2^-24. Multiplying by 2^24 is exact, so only rounding to an integer remains.
    const steps = Math.abs(word[0]) * 2 ** 24
    const whole = Math.floor(steps)
    const rest = steps - whole
    return sign | (whole + (rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? 1 : 0))
  }
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1)
  return sign | ((rounded - 0x38000000) >>> 13)
}

const HALVES = Float32Array.from({ length: 65536 }, (_, half) => halfToNumber(half))

/** Converts little-endian values to numbers, as many as `bytes` holds. */
export function toFloat32 (bytes: Buffer, type: 'float16' | 'bfloat16' | 'float32'): Float32Array<ArrayBuffer> {
  if (type === 'float32') return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index))
  const count = bytes.length / 2
  const numbers = new Float32Array(count)
  if (type === 'float16') {
    for (let index = 0; index < count; index++) numbers[index] = HALVES[bytes.readUInt16LE(2 * index)] ?? 0
    return numbers
  }
  const words = new Uint32Array(numbers.buffer)
  for (let index = 0; index < count; index++) words[index] = bytes.readUInt16LE(2 * index) << 16
  return numbers
}

/** Converts numbers to float16, little-endian. */
export function toHalves (numbers: Float32Array): Buffer {
  const bytes = Buffer.alloc(2 * numbers.length)
  for (let index = 0; index < numbers.length; index++) bytes.writeUInt16LE(numberToHalf(numbers[index] ?? 0), 2 * index)
  return bytes
}

/** Converts numbers to float32, little-endian. */
export function toSingles (numbers: Float32Array): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (let index = 0; index < numbers.length; index++) bytes.writeFloatLE(numbers[index] ?? 0, 4 * index)
  return bytes
}
