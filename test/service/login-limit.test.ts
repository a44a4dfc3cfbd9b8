import t from 'tap'
import type { Test } from 'tap'
import { createLoginLimit, networkOf } from '../../dist/service/login-limit.js'
import { createClock } from '../support/clock.ts'

const MINUTE_MS = 60_000
const right = async (): Promise<boolean> => true
const wrong = async (): Promise<boolean> => false

function openLimit () {
  const clock = createClock()
  const limit = createLoginLimit({ now: clock.now })
  const fail = async (address: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await limit.attempt(address, 'anna', wrong)
  }
  const isRefused = async (t: Test, address: string, seconds: number): Promise<void> => {
    await t.rejects(
      limit.attempt(address, 'anna', async () => {
        t.fail('compared')
        return true
      }),
      { code: 'too_many_attempts', headers: { 'retry-after': String(seconds) } }
    )
  }
  return { clock, limit, fail, isRefused }
}

t.test('after five wrong passwords a network waits until the first is 15 minutes old; others do not', async (t) => {
  const { clock, limit, fail, isRefused } = openLimit()
  await fail('192.0.2.1', 1)
  clock.advance(5 * MINUTE_MS)
  await fail('192.0.2.1', 4)
  await isRefused(t, '192.0.2.1', 600)
  t.equal(await limit.attempt('192.0.2.2', 'anna', right), true)
  clock.advance(10 * MINUTE_MS - 1)
  await isRefused(t, '192.0.2.1', 1)
  clock.advance(1)
  t.equal(await limit.attempt('192.0.2.1', 'anna', wrong), false)
  await isRefused(t, '192.0.2.1', 300)
})

t.test('a right password forgives the wrong ones before it', async (t) => {
  const { limit, fail } = openLimit()
  await fail('192.0.2.1', 4)
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
  await fail('192.0.2.1', 4)
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
})

t.test('a right password for one account forgives nothing at another', async (t) => {
  const { limit, fail, isRefused } = openLimit()
  await fail('192.0.2.1', 4)
  t.equal(await limit.attempt('192.0.2.1', 'mallory', right), true)
  await fail('192.0.2.1', 1)
  await isRefused(t, '192.0.2.1', 900)
})

t.test('parallel attempts do not bypass the limit', async (t) => {
  const { limit } = openLimit()
  let compared = 0
  const attempts = Array.from(
    { length: 50 },
    async () =>
      await limit.attempt('192.0.2.1', 'anna', async () => {
        compared++
        return false
      })
  )
  const results = await Promise.allSettled(attempts)
  t.equal(compared, 5)
  t.equal(results.filter(({ status }) => status === 'rejected').length, 45)
})

t.test('parallel right passwords wait seconds, not minutes', async (t) => {
  const { limit, fail, isRefused } = openLimit()
  let decide = (): void => {}
  const decided = new Promise<boolean>((resolve) => { decide = () => { resolve(true) } })
  const attempts = Array.from({ length: 5 }, async () => await limit.attempt('192.0.2.1', 'anna', async () => await decided))
  await isRefused(t, '192.0.2.1', 5)
  decide()
  t.strictSame(await Promise.all(attempts), Array(5).fill(true))
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
  await fail('192.0.2.1', 5)
  await isRefused(t, '192.0.2.1', 900)
})

t.test('setting the clock back does not extend a lockout', async (t) => {
  const { clock, limit, fail } = openLimit()
  await fail('192.0.2.1', 5)
  clock.advance(-24 * 60 * MINUTE_MS)
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
})

t.test('an attempt that could not be compared does not count', async (t) => {
  const { limit } = openLimit()
  for (let i = 0; i < 20; i++) await t.rejects(limit.attempt('192.0.2.1', 'anna', async () => { throw new Error('busy') }), /busy/)
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
})

t.test('one attacker never reaches the limit for all', async (t) => {
  const { clock, limit } = openLimit()
  for (let minute = 0; minute < 120; minute++) {
    for (let i = 0; i < 20; i++) await limit.attempt(`2001:db8:1:2::${i}`, 'anna', wrong).catch(() => {})
    clock.advance(MINUTE_MS)
  }
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
})

t.test('many attackers hold up strangers, but not networks that logged in before', async (t) => {
  const { clock, limit, fail, isRefused } = openLimit()
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
  for (let i = 0; i < 20; i++) await fail(`198.51.100.${i}`, 5)
  await isRefused(t, '203.0.113.1', 900)
  t.equal(await limit.attempt('192.0.2.1', 'anna', wrong), false)
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
  await fail('192.0.2.1', 5)
  await isRefused(t, '192.0.2.1', 900)
  clock.advance(15 * MINUTE_MS)
  t.equal(await limit.attempt('203.0.113.1', 'anna', right), true)
})

t.test('only the sixteen networks that logged in last are remembered', async (t) => {
  const { limit, fail, isRefused } = openLimit()
  for (let i = 0; i < 17; i++) await limit.attempt(`192.0.2.${i}`, 'anna', right)
  for (let i = 0; i < 20; i++) await fail(`198.51.100.${i}`, 5)
  await isRefused(t, '192.0.2.0', 900)
  t.equal(await limit.attempt('192.0.2.1', 'anna', right), true)
})

t.test('a network is an IPv4 address or the /64 of an IPv6 one', (t) => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:0db8:0001:2::', '2001:db8:1:2::/64']
  ] as const) { t.equal(networkOf(address), network, address) }
  t.end()
})
