/** Usage by day over HTTP: days begin at midnight UTC, whatever is on disk yet. */
import t from 'tap'
import { monthAt } from '../../dist/domain/usage.js'
import { createEnding } from '../../dist/service/ending.js'
import { createQueue } from '../../dist/service/queue.js'
import { buildAppliance } from '../support/appliance.ts'
import { createClock } from '../support/clock.ts'
import { openStores } from '../support/store.ts'

const MINUTE = 60_000
/** A minute before midnight, on the last day of a month. */
const START = Date.UTC(2026, 0, 31, 23, 59)

t.test('requests and minutes are those of their day, over midnight and the end of a month', async (t) => {
  const clock = createClock(START)
  const dataDir = t.testdir()
  const { appliance, call, key } = await buildAppliance(t, { STENOBOX_DATA_DIR: dataDir }, clock.now)
  const [mine, second, other] = [key('anna'), key('anna'), key('ben')]
  const days = async (who: string, query = '') => (await call(who, 'GET', `/api/v1/usage/days${query}`)).body.data as unknown as object[]
  await call(mine, 'GET', '/api/v1/jobs/1')
  await call(second, 'GET', '/api/v1/jobs/1')
  appliance.usage.flush()
  await call(mine, 'GET', '/api/v1/jobs/1')
  clock.advance(MINUTE)
  await call(mine, 'GET', '/api/v1/jobs/1')
  t.strictSame(await days(mine, '?days=3'), [
    { day: '2026-01-30', requests: 0, minutes: 0 },
    { day: '2026-01-31', requests: 3, minutes: 0 },
    { day: '2026-02-01', requests: 2, minutes: 0 }
  ])
  t.strictSame(await days(other, '?days=1'), [{ day: '2026-02-01', requests: 1, minutes: 0 }])
  t.equal((await days(mine)).length, 30)
  for (const query of ['?days=0', '?days=367', '?days=x']) {
    t.match(await call(mine, 'GET', `/api/v1/usage/days${query}`), { status: 400, body: { code: 'invalid_request' } })
  }
})

t.test('a completed job counts on the day on which it was completed, and stays when it is deleted', async (t) => {
  const clock = createClock(START)
  const { jobs, work, usage, orders, addJob, inTransaction } = openStores(t)
  const queue = createQueue({ work, inTransaction, now: clock.now })
  const id = addJob('anna')
  const { ownerId = 0 } = jobs.find(id) ?? {}
  const unused = async (): Promise<never> => { throw new Error('not used') }
  const ending = createEnding({
    jobs, work, orders, queue, usage, inTransaction, now: clock.now,
    files: { removeWork: async () => {}, listUntouched: unused },
    deliveries: { enqueue: () => {} },
    retention: { release: async () => {} },
    log: { info: () => {}, warn: () => {}, error: () => {} }
  })
  jobs.begin(id, 'decode', START)
  jobs.setDecoded(id, 90_000, START)
  work.removeRun(id)
  work.insert({ kind: 'complete', jobId: id, run: 0 })
  clock.advance(2 * MINUTE)
  const claim = ending.claim()
  if (!claim) throw new Error('nothing to complete')
  await ending.complete(claim)
  jobs.remove(id)
  const february = monthAt(clock.now()).startMs
  t.strictSame([...usage.audioByDay(ownerId, 0)], [[february, 90_000]])
  t.equal(usage.findAudio(ownerId, february), 90_000)
})
