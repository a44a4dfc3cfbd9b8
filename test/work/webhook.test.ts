/** Webhooks in the loop, over a network whose receivers answer when the test says so. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { LEASE_MS } from '../../dist/service/queue.js'
import { createWebhookKind } from '../../dist/work/kinds/webhook.js'
import { createLoop } from '../../dist/work/loop.js'
import type { FetchAnswer, FetchRequest } from '../../dist/engine/http/fetcher.js'
import { FetchError } from '../../dist/domain/fetch-error.js'
import { openDeliveries, SILENT } from '../support/deliveries.ts'

type Held = { host: string, answer (status: number): void }

function openLoop (t: Test) {
  const it = openDeliveries(t)
  const held: Held[] = []
  it.fetcher.request = async (request: FetchRequest) => await new Promise<FetchAnswer>((resolve, reject) => {
    const stop = (): void => { reject(new FetchError('aborted', 'webhooks')) }
    request.signal?.addEventListener('abort', stop, { once: true })
    held.push({
      host: new URL(request.url).host,
      answer: (status) => { resolve({ status, headers: {}, url: '', body: (async function * () {})(), async discard () {} }) }
    })
  })
  const errors: string[] = []
  const log = { ...SILENT, error (_: object, message: string) { errors.push(message) } }
  const kind = createWebhookKind({ deliveries: it.service, log, graceMs: 20 })
  const tryLock = (): { release (): void } => ({ release () {} })
  const loop = createLoop({
    kinds: [kind], queue: it.queue, recover: async () => {}, tryLock, canWrite: async () => true, onTakeOver () {}, log
  })
  t.teardown(loop.stop)
  const waiting = (host: string): Held[] => held.filter((one) => one.host === host)
  return {
    ...it,
    loop,
    /** Begins, and waits until it has taken over. */
    async start (): Promise<void> {
      loop.start()
      await nextTurn()
    },
    errors,
    waiting,
    /** Answers everything that this host was asked so far. */
    async answerAll (host: string, status: number): Promise<void> {
      for (const one of waiting(host)) {
        held.splice(held.indexOf(one), 1)
        one.answer(status)
      }
      await nextTurn()
    },
    end: (host: string, count = 1, owner = 'a'): void => {
      for (let i = 0; i < count; i++) it.endJob({ webhook: { url: `https://${host}/${i}`, secret: 's' } }, owner)
    }
  }
}

t.test('nothing is sent before the start; waiting events are sent then', async (t) => {
  const { end, loop, start, waiting } = openLoop(t)
  end('a')
  loop.wake()
  t.equal(waiting('a').length, 0)
  await start()
  t.equal(waiting('a').length, 1)
  end('b')
  loop.wake()
  t.equal(waiting('b').length, 1, 'at once')
})

t.test('deliveries of a dead process are sent by the one that takes over', async (t) => {
  const { end, start, service, waiting } = openLoop(t)
  end('a')
  for (const { receiver } of service.listReady()) service.claim(receiver)
  t.strictSame(service.listReady(), [])
  await start()
  t.equal(waiting('a').length, 1)
})

t.test('a receiver that does not answer gets few requests at once, and holds up nobody else', async (t) => {
  const { end, loop, start, waiting, answerAll } = openLoop(t)
  await start()
  end('slow', 50)
  end('quick', 50)
  loop.wake()
  t.equal(waiting('slow').length, 1)
  let delivered = 0
  while (waiting('quick').length > 0) {
    delivered += waiting('quick').length
    await answerAll('quick', 200)
  }
  t.equal(delivered, 50)
  t.equal(waiting('slow').length, 1)
})

t.test('a receiver that takes what it gets is given more at once, until it fails', async (t) => {
  const { end, loop, start, waiting, answerAll } = openLoop(t)
  await start()
  end('a', 100)
  loop.wake()
  t.equal(waiting('a').length, 1)
  await answerAll('a', 204)
  t.equal(waiting('a').length, 8)
  await answerAll('a', 404)
  t.equal(waiting('a').length, 4)
})

t.test('receivers that hang or fail do not block others, however many there are', async (t) => {
  const { end, loop, start, waiting, answerAll } = openLoop(t)
  await start()
  end('good')
  loop.wake()
  await answerAll('good', 204)
  const dead = Array.from({ length: 100 }, (_, index) => `dead${index}`)
  const hanging = (): number => dead.reduce((sum, host) => sum + waiting(host).length, 0)
  for (const host of dead) end(host, 5)
  loop.wake()
  t.equal(hanging(), 64, 'one each, at most a quarter of all places')
  end('good', 3)
  loop.wake()
  t.equal(waiting('good').length, 3, 'a working receiver has slots that failing ones cannot take')
  for (const host of dead) await answerAll(host, 404)
  end('new')
  loop.wake()
  t.equal(waiting('new').length, 1, 'of whom nothing is known yet, too')
  for (let turn = 0; turn < 20; turn++) for (const host of dead) await answerAll(host, 404)
  t.equal(hanging(), 0, 'all had their turns')
})

t.test('receivers that fail share few places, by turns', async (t) => {
  const { end, loop, start, waiting, answerAll } = openLoop(t)
  await start()
  const hosts = Array.from({ length: 20 }, (_, index) => `dead${index}`)
  for (const host of hosts) end(host, 100)
  loop.wake()
  for (const host of hosts) await answerAll(host, 404)
  const served = new Set<string>()
  for (let round = 0; round < 10; round++) {
    const asked = hosts.filter((host) => waiting(host).length > 0)
    t.equal(hosts.reduce((sum, host) => sum + waiting(host).length, 0), 8)
    for (const host of asked) served.add(host)
    for (const host of asked) await answerAll(host, 404)
  }
  t.equal(served.size, 20)
})

for (const state of ['unknown', 'works', 'fails'] as const) {
  t.test(`receivers of one owner leave places for those of others, when their state is: ${state}`, async (t) => {
    const { end, loop, start, waiting, answerAll } = openLoop(t)
    await start()
    const hosts = Array.from({ length: 300 }, (_, index) => `held${index}`)
    const held = (): number => hosts.reduce((sum, host) => sum + waiting(host).length, 0)
    for (const host of hosts) {
      end(host, 3)
      loop.wake()
      if (state !== 'unknown') await answerAll(host, state === 'works' ? 204 : 404)
    }
    const most = held()
    loop.wake()
    t.equal(held(), most)
    for (const owner of ['b', 'c', 'd']) {
      end(`new.${owner}`, 1, owner)
      loop.wake()
      t.equal(waiting(`new.${owner}`).length, 1, `a place for ${owner}, at once`)
    }
  })
}

t.test('requests to one host for two owners, and to two endpoints, do not wait for each other', async (t) => {
  const { addEndpoint, apiKeys, end, endJob, loop, start, waiting } = openLoop(t)
  await start()
  for (const owner of ['a', 'b']) await addEndpoint({ url: 'https://shared/hook' }, apiKeys.ensureOwner(owner, 0))
  end('shared', 10)
  for (let i = 0; i < 10; i++) endJob({}, 'b')
  loop.wake()
  t.equal(waiting('shared').length, 3)
})

t.test('a stop gives back what does not end in time; what ends is noted', async (t) => {
  const { end, loop, start, waiting, answerAll, counts } = openLoop(t)
  await start()
  end('slow')
  end('quick')
  loop.wake()
  const stopped = loop.stop()
  end('late')
  loop.wake()
  await answerAll('quick', 204)
  await stopped
  t.equal(waiting('late').length, 0)
  t.strictSame([1, 2, 3].map((id) => counts(id)), [
    { pending: 1, delivered: 0, failed: 0 }, { pending: 0, delivered: 1, failed: 0 }, { pending: 1, delivered: 0, failed: 0 }
  ])
})

t.test('a database that fails for a moment is asked again', async (t) => {
  const { end, errors, loop, start, service, waiting } = openLoop(t)
  await start()
  end('a')
  const { listReady } = service
  service.listReady = () => { throw new Error('the disk is full') }
  loop.wake()
  t.strictSame(errors, ['claiming work failed'])
  service.listReady = listReady
  loop.wake()
  t.equal(waiting('a').length, 1)
})

t.test('an end that cannot be noted leaves the event to its lease', async (t) => {
  const { end, errors, loop, start, deliveries, waiting, answerAll, clock, counts } = openLoop(t)
  await start()
  end('a')
  loop.wake()
  const { setDelivered } = deliveries
  deliveries.setDelivered = () => { throw new Error('the disk is full') }
  await answerAll('a', 204)
  await nextTurn()
  t.strictSame(errors, ['the end of a webhook could not be noted'])
  t.match(counts(1), { pending: 1 })
  deliveries.setDelivered = setDelivered
  clock.advance(LEASE_MS - 1)
  loop.wake()
  t.equal(waiting('a').length, 0, 'not at once: on a full disk it would be sent twice a second')
  clock.advance(1)
  loop.wake()
  t.equal(waiting('a').length, 1)
})
