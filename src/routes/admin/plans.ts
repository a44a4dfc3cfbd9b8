/** Plans and their limits. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { PLANS } from '../../domain/access.js'
import { PlanLimits } from '../../domain/plans.js'
import type { Plans } from '../../service/plans.js'
import { operation } from '../contract/operation.js'
import { audit } from '../plugins/session.js'
import { ok, Success } from '../contract/schemas.js'

const LIMITS = { requestsPerDay: 100, speechMinutesPerMonth: null, diarization: false }

const Plan = Type.Object({
  plan: Type.Enum(PLANS),
  limits: PlanLimits,
  isDefault: Type.Boolean({ description: 'false if the administrator has changed the limits' })
}, { title: 'Plan', description: 'The plan.', examples: [{ plan: 'free', limits: LIMITS, isDefault: true }] })

const ChangeBody = Type.Partial(PlanLimits, {
  title: 'PlanChange', additionalProperties: false, minProperties: 1, examples: [{ requestsPerDay: 500 }]
})
const PlanList = Type.Array(Plan, {
  description: 'The plans, smallest first.', examples: [[{ plan: 'free', limits: LIMITS, isDefault: true }]]
})
const PlanParams = Type.Object({ plan: Type.Enum(PLANS) })

export const planRoutes: FastifyPluginAsyncTypebox<{ plans: Plans }> = async (app, { plans }) => {
  app.get('/plans', operation({
    operationId: 'listPlans',
    tag: 'Administration',
    summary: 'List plans and their limits',
    caller: 'administrator',
    replies: { 200: Success(PlanList) }
  }), async () => ok(plans.list()))

  app.patch('/plans/:plan', operation({
    operationId: 'changePlan',
    tag: 'Administration',
    summary: 'Change the limits of a plan',
    description: 'Fields that are left out stay as they are. The change applies from the next request.',
    caller: 'administrator',
    params: PlanParams,
    body: ChangeBody,
    replies: { 200: Success(Plan) }
  }), async (request) => {
    const { plan } = request.params
    const limits = plans.set(plan, request.body)
    audit(request, { plan })
    return ok({ plan, limits, isDefault: false })
  })

  app.delete('/plans/:plan', operation({
    operationId: 'resetPlan',
    tag: 'Administration',
    summary: 'Restore the default limits of a plan',
    caller: 'administrator',
    params: PlanParams,
    replies: { 200: Success(Plan) }
  }), async (request) => {
    const { plan } = request.params
    const limits = plans.reset(plan)
    audit(request, { plan })
    return ok({ plan, limits, isDefault: true })
  })
}
