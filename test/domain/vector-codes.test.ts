/** Short forms of vectors find what the vectors themselves find. */
import t from 'tap'
import { codeLength, cosineOf, findNearest, toBytes, writeCode } from '../../dist/domain/vector-codes.js'
import { createRandom, fillNormal } from '../../dist/evaluate/sounds/random.js'

const DIMENSIONS = 96
const LENGTH = codeLength(DIMENSIONS)
const random = createRandom(3)

function draw (): Float32Array {
  const vector = fillNormal(new Float32Array(DIMENSIONS), random)
  const norm = Math.hypot(...vector)
  return vector.map((value) => value / norm)
}

function codesOf (vectors: readonly Float32Array[]) {
  const words = new Uint32Array(vectors.length * LENGTH)
  for (const [index, vector] of vectors.entries()) writeCode(vector, words, index * LENGTH)
  return { words, length: LENGTH, count: vectors.length }
}

t.test('bytes keep the direction of a vector', async (t) => {
  const [a, b] = [draw(), draw()]
  const exact = a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  t.ok(Math.abs(cosineOf(a, toBytes(b)) - exact) < 0.01)
  t.ok(cosineOf(a, toBytes(a)) > 0.999)
  t.equal(cosineOf(a, toBytes(new Float32Array(DIMENSIONS))), 0, 'a vector of zeros is similar to nothing')
})

t.test('the nearest codes are found, and others only where they are equally far', async (t) => {
  const vectors = Array.from({ length: 500 }, draw)
  const codes = codesOf(vectors)
  const query = codes.words.slice(7 * LENGTH, 8 * LENGTH)
  t.strictSame([...findNearest(codes, query, 1)], [7])
  const found = findNearest(codes, query, 20)
  t.ok(found.length >= 20 && found.length < 60)
  t.equal(findNearest(codes, query, 1000).length, 500, 'no more than there are')
  t.equal(findNearest({ ...codes, count: 0 }, query, 5).length, 0)
})

t.test('among very many codes, the same one is still the nearest', async (t) => {
  const count = 60_000
  const words = Uint32Array.from({ length: count * LENGTH }, () => random() * 2 ** 32)
  for (const index of [0, 31_234, count - 1]) {
    t.equal(findNearest({ words, length: LENGTH, count }, words.slice(index * LENGTH, (index + 1) * LENGTH), 1)[0], index)
  }
})
