import t from 'tap'
import type { Test } from 'tap'
import { hashKey } from '../../dist/domain/access.js'
import type { LoggedRequest } from '../../dist/domain/usage.js'
import { openStores } from '../support/store.ts'

const DAY = 86_400_000

function open (t: Test) {
  const stores = openStores(t)
  const [ownerId, otherId] = [stores.apiKeys.ensureOwner('a', 0), stores.apiKeys.ensureOwner('b', 0)]
  const addKey = (owner: number, name: string): number =>
    stores.apiKeys.insert({ ownerId: owner, name, plan: 'free', hash: hashKey(name), lastFour: 'xxxx', now: 0 })
  const [first, second, foreign] = [addKey(ownerId, 'first'), addKey(ownerId, 'second'), addKey(otherId, 'foreign')]
  const log = (keyId: number, id: string, at = 0): void => {
    stores.usage.insertLogged({ id, keyId, method: 'GET', path: '/x', status: 200, durationMs: 1, at })
  }
  const ids = (keyId: number, limit = 5000): string[] => stores.usage.listLogged(keyId, limit).map(({ id }) => id)
  return { ...stores, ownerId, otherId, first, second, foreign, log, ids }
}

t.test('requests add up by owner, key and day', async (t) => {
  const { usage, ownerId, otherId, first, second, foreign } = open(t)
  const add = (owner: number, keyId: number, day: number, requests: number): void => {
    usage.addRequests({ ownerId: owner, keyId, dayAt: day * DAY, requests })
  }
  add(ownerId, first, 1, 3)
  add(ownerId, first, 2, 5)
  add(ownerId, first, 2, 2)
  add(ownerId, second, 2, 10)
  add(ownerId, 0, 2, 100)
  add(otherId, foreign, 2, 1000)
  t.equal(usage.countOfOwner(ownerId, 2 * DAY), 117, 'all keys, and tokens')
  t.equal(usage.countOfOwner(ownerId, 3 * DAY), 0)
  t.equal(usage.countOfKey(ownerId, first, 2 * DAY), 7)
  t.equal(usage.countOfKey(ownerId, first, DAY), 10)
  t.equal(usage.countOfKey(ownerId, foreign, 0), 0)
  add(ownerId, second, 2, -1)
  t.equal(usage.countOfOwner(ownerId, 2 * DAY), 116)
})

t.test('the log gives back what it got, the last first', async (t) => {
  const { usage, first, second, log, ids } = open(t)
  const request: LoggedRequest = { id: 'r0', keyId: first, method: 'POST', path: '/api/v1/jobs/{id}', status: 404, durationMs: 12, at: 34 }
  usage.insertLogged(request)
  t.strictSame(usage.listLogged(first, 9), [request])
  log(first, 'r1')
  log(second, 'r2')
  t.strictSame(ids(first), ['r1', 'r0'])
  t.strictSame(ids(first, 1), ['r1'])
})

t.test('the log has the last thousand requests of each key', async (t) => {
  const { usage, first, second, log, ids } = open(t)
  log(second, 'mine')
  for (let i = 0; i < 1003; i++) log(first, `r${i}`)
  usage.removeBeyond(first)
  usage.removeBeyond(second)
  t.equal(ids(first).length, 1000)
  t.strictSame([ids(first)[0], ids(first)[999]], ['r1002', 'r3'])
  t.strictSame(ids(second), ['mine'])
})

t.test('after thirty days a line goes, and counts stay', async (t) => {
  const { usage, ownerId, first, second, log, ids } = open(t)
  usage.addRequests({ ownerId, keyId: first, dayAt: 0, requests: 2 })
  log(first, 'old', 5)
  log(first, 'new', 6)
  log(second, 'quiet', 5)
  usage.removeExpired(30 * DAY + 6)
  t.strictSame([ids(first), ids(second)], [['new'], []])
  t.equal(usage.countOfOwner(ownerId, 0), 2)
})

t.test('audio adds up by month', async (t) => {
  const { usage, ownerId, otherId } = open(t)
  t.equal(usage.findAudio(ownerId, 0), 0)
  usage.addAudio(ownerId, 0, 60_000)
  usage.addAudio(ownerId, 0, 500)
  usage.addAudio(ownerId, 31 * DAY, 7)
  t.strictSame([usage.findAudio(ownerId, 0), usage.findAudio(ownerId, 31 * DAY), usage.findAudio(otherId, 0)], [60_500, 7, 0])
})

t.test('an owner who is gone takes everything along, and leaves nothing behind later', async (t) => {
  const { db, usage, otherId, foreign, log, ids } = open(t)
  const tally = { ownerId: otherId, keyId: foreign, dayAt: 0, requests: 1 }
  usage.addRequests(tally)
  usage.addAudio(otherId, 0, 1)
  log(foreign, 'r')
  db.exec(`DELETE FROM api_key WHERE id = ${foreign}; DELETE FROM owner WHERE id = ${otherId}`)
  const isEmpty = (): void => { t.strictSame([usage.countOfOwner(otherId, 0), usage.findAudio(otherId, 0), ids(foreign)], [0, 0, []]) }
  isEmpty()
  usage.addRequests(tally)
  log(foreign, 'late')
  isEmpty()
})
