import t from 'tap'
import { toUnitLength } from '../../dist/domain/speaker-observation.js'
import { linkVoices } from '../../dist/domain/voice-linkage.js'
import { createRandom } from '../support/random.ts'

const RULES = { maxDistance: 0.9, minWeight: 4 }
const DIMENSIONS = 64

/** Voice prints of some people, by turns, each around a direction of its own. */
function speak (people: number, prints: number, spread = 0.5, seed = 1): Float32Array[] {
  const random = createRandom(seed)
  const direction = (): Float32Array => toUnitLength(Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1))
  const voices = Array.from({ length: people }, direction)
  return Array.from({ length: prints }, (_, index) => {
    const off = direction()
    return toUnitLength(voices[index % people]!.map((value, i) => value + spread * off[i]!))
  })
}

t.test('the number of speakers is found', (t) => {
  for (const people of [1, 2, 3, 7, 20]) t.equal(linkVoices(speak(people, 20 * people), {}, RULES).length, people, `${people} people`)
  t.strictSame(linkVoices([], {}, RULES), [])
  t.equal(linkVoices(speak(1, 1), {}, RULES).length, 1)
  t.end()
})

t.test('what the caller knows of the number counts', (t) => {
  const prints = speak(4, 80)
  t.equal(linkVoices(prints, { max: 2 }, RULES).length, 2)
  t.equal(linkVoices(prints, { min: 6, max: 6 }, RULES).length, 6)
  t.equal(linkVoices(prints, { min: 3, max: 5 }, RULES).length, 4)
  t.ok(linkVoices(speak(1, 3), { min: 5 }, RULES).length <= 3, 'there are no more voices than voice prints')
  t.end()
})

t.test('a few odd voice prints are no speaker', (t) => {
  const prints = [...speak(2, 100), ...speak(3, 3, 0, 9)]
  t.equal(linkVoices(prints, {}, RULES).length, 2)
  t.end()
})

t.test('ten hours take seconds, and who says little in them is heard', (t) => {
  const [many, rare] = [speak(5, 9000), speak(6, 6, 0.3, 77).slice(-1)[0]!]
  const prints = many.flatMap((print, index) => index % 1000 === 500 ? [print, rare] : [print])
  const cpu = process.cpuUsage()
  t.equal(linkVoices(prints, {}, RULES).length, 6)
  const { user } = process.cpuUsage(cpu)
  t.ok(user < 60_000_000, `${user / 1e6} s`)
  let calls = 0
  t.throws(() => { linkVoices(prints, {}, RULES, () => { if (++calls > 100) throw new Error('stopped') }) }, { message: 'stopped' })
  t.end()
})
