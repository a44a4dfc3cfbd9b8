/** The addon compares codes as JavaScript does. */
import t from 'tap'
import { findNearest } from '../../dist/domain/vector-codes.js'
import { loadCodeScan } from '../../dist/native/addon.js'
import { createRandom } from '../../dist/evaluate/sounds/random.js'
import { addon } from '../support/native.ts'

const random = createRandom(5)
const draw = (words: number): Uint32Array => Uint32Array.from({ length: words }, () => random() * 2 ** 32)

t.test('the nearest codes of any length, and others only where they are equally far', async (t) => {
  for (const length of [1, 3, 12, 32]) {
    const words = draw(length * 2000)
    for (const wanted of [0, 1, 20, 2000, 5000]) {
      const code = draw(length)
      const expected = findNearest({ words, length, count: 2000 }, code, wanted)
      t.strictSame(addon.nearestCodes(words, 2000, code, wanted), expected, `${wanted} of ${length} words`)
    }
  }
})

t.test('room beyond the codes is not looked at', async (t) => {
  const words = draw(12 * 100)
  t.strictSame([...addon.nearestCodes(words, 50, words.slice(12 * 70, 12 * 71), 50)], Array.from({ length: 50 }, (_, index) => index))
  t.strictSame([...addon.nearestCodes(words, 0, draw(12), 5)], [])
})

t.test('wrong arguments are refused', async (t) => {
  const words = draw(24)
  const refused = { code: 'INVALID_ARGUMENT' }
  t.throws(() => addon.nearestCodes(words, 3, draw(12), 1), refused, 'more codes than there are')
  t.throws(() => addon.nearestCodes(words, 1, draw(0), 1), refused)
  t.throws(() => addon.nearestCodes(words, 1, draw(4096), 1), refused)
  t.throws(() => addon.nearestCodes(words, 1, draw(12), -1), refused)
  t.throws(() => addon.nearestCodes(new Float32Array(24) as unknown as Uint32Array, 1, draw(12), 1), refused)
})

t.test('without the addon, search has no native scan and goes on', async (t) => {
  t.equal(loadCodeScan('/nonexistent/stenobox.node'), undefined)
  t.type(loadCodeScan(), 'function')
})
