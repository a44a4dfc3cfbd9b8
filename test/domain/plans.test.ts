import { Ajv } from 'ajv'
import t from 'tap'
import { PLANS } from '../../dist/domain/access.js'
import { DEFAULT_LIMITS, PlanLimits } from '../../dist/domain/plans.js'

t.test('speakers are told apart from pro upward', async (t) => {
  t.strictSame(PLANS.filter((plan) => DEFAULT_LIMITS[plan].diarization), ['pro', 'agency', 'enterprise'])
})

t.test('free is limited in requests, and only free', async (t) => {
  t.strictSame(PLANS.filter((plan) => DEFAULT_LIMITS[plan].requestsPerDay !== null), ['free'])
  t.equal(DEFAULT_LIMITS.free.requestsPerDay, 100)
})

t.test('build, scale and pro are metered, agency like scale; enterprise has no limits', async (t) => {
  const minutes = (plan: typeof PLANS[number]): number => DEFAULT_LIMITS[plan].speechMinutesPerMonth ?? Infinity
  t.ok(minutes('build') < minutes('scale'))
  t.ok(minutes('scale') < Infinity)
  t.equal(minutes('agency'), minutes('scale'))
  t.ok(minutes('pro') <= minutes('agency'), 'the higher plan allows no less')
  t.strictSame(DEFAULT_LIMITS.enterprise, { requestsPerDay: null, speechMinutesPerMonth: null, diarization: true })
})

t.test('a limit is a whole number from 0, or null', async (t) => {
  const isValid = new Ajv().compile(PlanLimits)
  const limits = DEFAULT_LIMITS.free
  for (const requestsPerDay of [0, 1, null]) t.ok(isValid({ ...limits, requestsPerDay }), String(requestsPerDay))
  for (const requestsPerDay of [-1, 1.5, '1', 1e15, undefined]) t.notOk(isValid({ ...limits, requestsPerDay }), String(requestsPerDay))
})
