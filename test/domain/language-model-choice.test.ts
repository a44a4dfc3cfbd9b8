import t from 'tap'
import { chooseModelSize, estimateParameters, LEAST_READS_PER_SECOND, memoryFor } from '../../dist/domain/language-model-choice.js'

const GIB = 1024 ** 3
const SIZES = [
  { name: 'small', layerParameters: 4e8, bytes: 0.5 * GIB },
  { name: 'medium', layerParameters: 1.3e9, bytes: GIB },
  { name: 'large', layerParameters: 3.6e9, bytes: 2.3 * GIB }
]
const choose = (weightsPerSecond: number, memoryBytes = 64 * GIB) => chooseModelSize(SIZES, { weightsPerSecond, memoryBytes })

t.test('the largest model that reads fast enough', async (t) => {
  for (const { name, layerParameters } of SIZES) {
    t.strictSame(choose(LEAST_READS_PER_SECOND * layerParameters), { name, readsPerSecond: LEAST_READS_PER_SECOND })
  }
  t.match(choose(1e12), { name: 'large' })
  t.equal(choose(LEAST_READS_PER_SECOND * 4e8 * 0.9), undefined, 'even the smallest one is too slow')
})

t.test('a model that does not fit into the memory is not recommended', async (t) => {
  t.match(choose(1e12, memoryFor(GIB)), { name: 'medium' })
  t.match(choose(1e12, memoryFor(GIB) - 1), { name: 'small' })
  t.equal(choose(1e12, 0), undefined)
})

t.test('the parameters of an unknown file are between those of known ones', async (t) => {
  const known = SIZES.map(({ bytes, layerParameters }) => estimateParameters(bytes) / layerParameters)
  t.ok(Math.min(...known) < 1 && Math.max(...known) > 1)
})
