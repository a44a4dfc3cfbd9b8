import t from 'tap'
import { DEFAULT_LIMITS } from '../../../dist/domain/plans.js'
import { buildAdministered } from '../../support/admin.ts'

t.test('what a plan allows is seen, changed in part, and given back', async (t) => {
  const { openSession, appliance } = await buildAdministered(t)
  const { call } = await openSession()
  const list = async () => (await call('GET', 'plans')).body.data
  t.strictSame(await list(), Object.entries(DEFAULT_LIMITS).map(([plan, limits]) => ({ plan, limits, isDefault: true })))
  const changed = await call('PATCH', 'plans/free', { requestsPerDay: 500 })
  t.strictSame(
    [changed.status, changed.body],
    [200, { success: true, data: { plan: 'free', limits: { ...DEFAULT_LIMITS.free, requestsPerDay: 500 }, isDefault: false } }]
  )
  t.match(await call('PATCH', 'plans/free', { requestsPerDay: null, speechMinutesPerMonth: 0, diarization: true }), { status: 200 })
  t.strictSame(appliance.plans.limitsOf('free'), { requestsPerDay: null, speechMinutesPerMonth: 0, diarization: true })
  t.match((await list()), [{ plan: 'free', isDefault: false }, { plan: 'build', isDefault: true }])
  const reset = { success: true, data: { plan: 'free', limits: DEFAULT_LIMITS.free, isDefault: true } }
  for (let times = 0; times < 2; times++) t.strictSame((await call('DELETE', 'plans/free')).body, reset)
})

t.test('an invalid body is refused, naming the field', async (t) => {
  const { openSession, appliance } = await buildAdministered(t)
  const { call } = await openSession()
  const cases: Array<[object, RegExp]> = [
    [{}, /body|fewer/],
    [[], /body|object/],
    [{ extra: 1 }, /extra/],
    [{ plan: 'pro' }, /plan/],
    ...['1', -1, 1.5, true, 2 ** 53, []].flatMap((value): Array<[object, RegExp]> => [
      [{ requestsPerDay: value }, /requestsPerDay/],
      [{ speechMinutesPerMonth: value }, /speechMinutesPerMonth/]
    ]),
    ...[null, 1, 'true', []].map((value): [object, RegExp] => [{ diarization: value }, /diarization/])
  ]
  for (const [body, error] of cases) {
    t.match(await call('PATCH', 'plans/free', body), { status: 400, body: { code: 'invalid_request', error } }, JSON.stringify(body))
  }
  for (const plan of ['gold', 'FREE', '1', '%00', 'free%0d%0aX-Injected:1']) {
    t.match(await call('PATCH', `plans/${plan}`, { requestsPerDay: 1 }), { status: 400, body: { error: /plan/ } }, plan)
    t.match(await call('DELETE', `plans/${plan}`), { status: 400, body: { error: /plan/ } }, plan)
  }
  t.ok(appliance.plans.list().every(({ isDefault }) => isDefault))
})
