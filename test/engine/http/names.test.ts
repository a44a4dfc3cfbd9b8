import t from 'tap'
import type { Test } from 'tap'
import { createNames, createPlaces, withShare } from '../../../dist/engine/http/names.js'
import { startNameServer } from '../../support/name-server.ts'

type Options = Parameters<typeof createNames>[0] & { hosts?: string, resolv?: string }

/** Names on a server of our own: it knows `known`, says nothing about names in `.silent`, and has no others. */
async function open (t: Test, known: Record<string, string>, { hosts = '', resolv = '', ...more }: Options = {}) {
  const { address, asked, close } = await startNameServer(known)
  t.teardown(close)
  const dir = t.testdir({ hosts, resolv })
  return { ...createNames({ hostsPath: `${dir}/hosts`, resolvPath: `${dir}/resolv`, servers: [address], ...more }), asked }
}

t.test('names come from the hosts file, then from the name server', async (t) => {
  const hosts = '10.0.0.5 nas NAS.home # box\n::1 ip6-nas\n#10.0.0.6 no\n'
  const { lookUp, asked } = await open(t, { 'good.example': '192.0.2.1' }, { hosts })
  t.strictSame(await lookUp('nas.home'), [{ address: '10.0.0.5', family: 4 }])
  t.strictSame(await lookUp('ip6-nas'), [{ address: '::1', family: 6 }])
  t.strictSame((await lookUp('localhost.')).map(({ address }) => address), ['127.0.0.1', '::1'])
  t.strictSame(asked, [])
  t.strictSame(await lookUp('good.example'), [{ address: '192.0.2.1', family: 4 }])
  await t.rejects(lookUp('missing.example'), { code: 'ENOTFOUND' })
})

t.test('short names are completed as the system does it', async (t) => {
  const resolv = 'nameserver 192.0.2.53\nsearch lan.example corp.example\n'
  const { lookUp, asked } = await open(t, { 'nas.corp.example': '192.0.2.7' }, { resolv })
  t.strictSame(await lookUp('nas'), [{ address: '192.0.2.7', family: 4 }])
  t.strictSame([...new Set(asked)], ['nas.lan.example', 'nas.corp.example'])
  await t.rejects(lookUp('nas.'), { code: 'ENOTFOUND' }, 'not with a dot at the end')
})

t.test('names that never answer do not delay other lookups', async (t) => {
  const { lookUp, asked } = await open(t, { 'good.example': '192.0.2.1' }, { lookupMs: 300, maxLookups: 6, maxShare: 2 })
  let ended = 0
  const silent = Array.from({ length: 8 }, async (_, index) => {
    const error: unknown = await withShare('mallory', async () => await lookUp(`${index}.silent`)).catch((error: unknown) => error)
    ended++
    return error
  })
  while (!asked.some((name) => name.endsWith('.silent'))) await new Promise(setImmediate)
  t.match(await withShare('anna', async () => await lookUp('good.example')), [{ address: '192.0.2.1' }])
  t.equal(ended, 0, 'while none of the others has ended')
  t.equal(new Set(asked.filter((name) => name.endsWith('.silent'))).size, 2, 'two places at most for one owner')
  for (const error of await Promise.all(silent)) t.match(error, { code: 'ETIMEDOUT' })
})

t.test('a lookup that waits for a slot does not fail', async (t) => {
  const { lookUp } = await open(t, { 'good.example': '192.0.2.1' }, { lookupMs: 300, maxLookups: 1, maxShare: 1 })
  const first = lookUp('first.silent').catch((error: unknown) => error)
  const waiting = Array.from({ length: 20 }, async () => await lookUp('good.example'))
  t.match(await first, { code: 'ETIMEDOUT' })
  for (const found of await Promise.all(waiting)) t.match(found, [{ address: '192.0.2.1' }])
})

t.test('a lookup that may not wait longer fails, and says that it is no fault of the name', async (t) => {
  const { lookUp, asked } = await open(t, { 'good.example': '192.0.2.1' }, { lookupMs: 300, maxLookups: 1, maxShare: 1 })
  const first = withShare('anna', async () => await lookUp('first.silent')).catch((error: unknown) => error)
  const waits: boolean[] = []
  const onWait = (isWaiting: boolean): void => { waits.push(isWaiting) }
  while (asked.length === 0) await new Promise(setImmediate)
  await t.rejects(withShare('anna', async () => await lookUp('good.example'), { maxWaitMs: 1, onWait }), { code: 'ENOPLACE' })
  t.strictSame(waits, [true, false])
  t.match(await first, { code: 'ETIMEDOUT' })
  t.match(await withShare('anna', async () => await lookUp('good.example'), { maxWaitMs: 1, onWait }), [{ address: '192.0.2.1' }])
  t.equal(waits.length, 2, 'a lookup that need not wait says nothing')
})

t.test('the share with the fewest slots is served first', async (t) => {
  const run = createPlaces(2, 2)
  const order: string[] = []
  const ends: Array<() => void> = []
  const start = async (share: string, name: string): Promise<void> => {
    await run({ share }, async () => {
      order.push(name)
      await new Promise<void>((resolve) => { ends.push(resolve) })
    })
  }
  const all = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1')]
  await new Promise(setImmediate)
  t.strictSame(order, ['a1', 'a2'])
  for (let next = ends.shift(); next; next = ends.shift()) {
    next()
    await new Promise(setImmediate)
  }
  await Promise.all(all)
  t.strictSame(order, ['a1', 'a2', 'b1', 'a3'])
})
