import t from 'tap'
import { createChannelComparison } from '../../dist/domain/channels.js'
import type { ChannelVerdict } from '../../dist/domain/channels.js'
import { joinSound, noise, RATE_HZ, silence, speech } from '../support/sound.ts'

/** Two people who talk by turns, four seconds each; how loud they are and how much each channel hears of the other, in amplitude. */
function talk ({ seconds = 24, second = 1, leak = 0 } = {}): [Int16Array, Int16Array] {
  const parts = Array.from({ length: seconds / 4 }, (_, index) => speech(4, index + 1))
  const own = (who: number): Int16Array =>
    joinSound(...parts.map((part, index) => index % 2 === who ? part : silence(4)), noise(1, 2, who + 90))
  const [a, b] = [own(0), own(1).map((sample) => Math.round(sample * second))]
  const add = (some: Int16Array, other: Int16Array): Int16Array =>
    some.map((sample, index) => Math.round(sample + leak * (other[index] ?? 0)))
  return [add(a, b), add(b, a)]
}

function compare (first: Int16Array, second: Int16Array) {
  const both = new Int16Array(2 * first.length)
  for (const [index, sample] of first.entries()) both.set([sample, second[index] ?? 0], 2 * index)
  const comparison = createChannelComparison()
  // Chunks end anywhere.
  for (let at = 0; at < both.length; at += 2 * 1001) comparison.push(both.subarray(at, at + 2 * 1001))
  return comparison
}
const judge = (first: Int16Array, second: Int16Array): ChannelVerdict => compare(first, second).judge()
const scale = (sound: Int16Array, factor: number): Int16Array => sound.map((sample) => Math.round(sample * factor))
const seconds = (spans: ReadonlyArray<{ startSample: number, endSample: number }>): number =>
  spans.reduce((sum, { startSample, endSample }) => sum + endSample - startSample, 0) / RATE_HZ

t.test('two people on two channels are separate, also with crosstalk, with a quiet one, and in two seconds', async (t) => {
  const [a, b] = talk()
  const short: [Int16Array, Int16Array] = [joinSound(speech(0.9), silence(1.1)), joinSound(silence(1.1), speech(0.9, 2))]
  const calls = [[a, b], talk({ leak: 10 ** (-25 / 20) }), talk({ second: 0.1, leak: 10 ** (-25 / 20) }), short] as const
  for (const [first, second] of calls) t.strictSame(judge(first, second), { kind: 'separate', isInverted: false })
})

t.test('one sound in both channels is the same, whatever its sign', async (t) => {
  const sound = speech(10)
  t.strictSame(judge(sound, sound), { kind: 'same', isInverted: false })
  t.strictSame(judge(sound, scale(sound, -1)), { kind: 'same', isInverted: true })
  t.equal(judge(silence(9), silence(9)).kind, 'same')
})

t.test('a silent or softer copy, a room, and music are mixed', async (t) => {
  const [a, b] = talk()
  const late = (sound: Int16Array): Int16Array => joinSound(silence(0.001), sound)
  const near = (own: Int16Array, other: Int16Array): Int16Array =>
    own.map((sample, index) => sample + Math.round(0.5 * (other[index] ?? 0)))
  const pairs = {
    silent: [a, silence(25)], softer: [a, scale(a, 0.2)], room: [near(a, late(b)), near(b, late(a))],
    music: [joinSound(noise(30, 5000, 1), noise(30, 900, 2)), joinSound(noise(30, 4000, 3), noise(30, 1000, 4))]
  } as const
  for (const [name, [first, second]] of Object.entries(pairs)) t.equal(judge(first, second).kind, 'mixed', name)
})

t.test('after half a minute of sound in both channels at once, a recording is no call any more', async (t) => {
  const [a, b] = talk({ seconds: 160 })
  t.equal(compare(a, b).isSurelyMixed(), false)
  t.equal(compare(speech(20), speech(20, 2)).isSurelyMixed(), false)
  t.equal(compare(speech(40), speech(40, 2)).isSurelyMixed(), true)
})

t.test('a channel has leaks where it hears only the other one, loud and soft people alike', async (t) => {
  for (const second of [1, 0.1]) {
    const [a, b] = talk({ second, leak: 10 ** (-25 / 20) })
    const comparison = compare(a, b)
    for (const channel of [1, 2] as const) t.ok(Math.abs(seconds(comparison.listLeaks(channel)) - 12) < 1.5)
    const [inFirst, inSecond] = [1, 2].map((channel) => comparison.listLeaks(channel === 1 ? 1 : 2))
    t.notOk(inFirst?.some((one) => inSecond?.some((other) => one.startSample < other.endSample && other.startSample < one.endSample)))
  }
  t.strictSame(compare(speech(9), speech(9, 2)).listLeaks(1), [], 'two people at once hear themselves')
})
