import t from 'tap'
import type { Test } from 'tap'
import { DEFAULT_LIMITS } from '../../dist/domain/plans.js'
import { createPlans } from '../../dist/service/plans.js'
import { createPlanLimitsStore } from '../../dist/store/plan-limits.js'
import { openStores } from '../support/store.ts'

const openPlans = (t: Test, dataDir?: string) => createPlans({ planLimits: openStores(t, dataDir).planLimits })

t.test('limits are those of a fresh appliance until somebody changes them', async (t) => {
  const plans = openPlans(t)
  t.strictSame(plans.limitsOf('free'), DEFAULT_LIMITS.free)
  t.strictSame(plans.list().map(({ plan }) => plan), ['free', 'build', 'scale', 'pro', 'agency', 'enterprise'])
  t.ok(plans.list().every(({ isDefault }) => isDefault))
})

t.test('a change holds at once, keeps what it does not name, and can be taken back', async (t) => {
  const plans = openPlans(t)
  plans.limitsOf('free')
  t.strictSame(plans.set('free', { requestsPerDay: 5 }), { ...DEFAULT_LIMITS.free, requestsPerDay: 5 })
  t.equal(plans.limitsOf('free').requestsPerDay, 5)
  plans.set('free', { diarization: true, speechMinutesPerMonth: 0 })
  t.strictSame(plans.limitsOf('free'), { requestsPerDay: 5, speechMinutesPerMonth: 0, diarization: true })
  t.strictSame(plans.list()[0], { plan: 'free', limits: plans.limitsOf('free'), isDefault: false })
  t.strictSame(plans.limitsOf('pro'), DEFAULT_LIMITS.pro, 'others stay')
  t.strictSame(plans.reset('free'), DEFAULT_LIMITS.free)
  t.strictSame(plans.limitsOf('free'), DEFAULT_LIMITS.free)
})

t.test('null takes a limit away; it is not the same as no change', async (t) => {
  const plans = openPlans(t)
  plans.set('free', { requestsPerDay: null })
  plans.set('free', {})
  t.equal(plans.limitsOf('free').requestsPerDay, null)
  t.equal(plans.list()[0]?.isDefault, false)
})

t.test('a change of another process holds with the next question', async (t) => {
  const dataDir = t.testdir()
  const [server, commandLine] = [openPlans(t, dataDir), openPlans(t, dataDir)]
  server.limitsOf('build')
  commandLine.set('build', { speechMinutesPerMonth: 7 })
  t.equal(server.limitsOf('build').speechMinutesPerMonth, 7)
  commandLine.reset('build')
  t.strictSame(server.limitsOf('build'), DEFAULT_LIMITS.build)
})

t.test('repeated questions do not read the database again', async (t) => {
  const { db, planLimits } = openStores(t)
  let reads = 0
  const plans = createPlans({ planLimits: { ...createPlanLimitsStore(db), list: () => { reads++; return planLimits.list() } } })
  for (let i = 0; i < 10; i++) plans.limitsOf('free')
  t.equal(reads, 1)
})

t.test('limits that make no sense are not stored', async (t) => {
  const plans = openPlans(t)
  t.throws(() => plans.set('free', { requestsPerDay: -1 }), { code: 'SQLITE_CONSTRAINT_CHECK' })
  t.throws(() => plans.set('gold' as 'free', DEFAULT_LIMITS.free), { code: 'SQLITE_CONSTRAINT_CHECK' })
  t.strictSame(plans.limitsOf('free'), DEFAULT_LIMITS.free)
})
