/** Plans and their limits. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { PLANS } from '../../domain/access.js'
import { PlanLimits } from '../../domain/plans.js'
import type { Plans } from '../../service/plans.js'
import { operation } from '../operation.js'
import { audit } from '../plugins/session.js'
import { ok, Success } from '../schemas.js'

const LIMITS = { requestsPerDay: 100, speechMinutesPerMonth: null, diarization: false }

const Plan = Type.Object({
  plan: Type.Enum(PLANS),
  limits: PlanLimits,
  isDefault: Type.Boolean({ description: 'false: the administrator has changed them' })
}, { title: 'Plan', description: 'The plan.', examples: [{ plan: 'free', limits: LIMITS, isDefault: true }] })

const ChangeBody = Type.Partial(PlanLimits, { title: 'PlanChange', additionalProperties: false, minProperties: 1, examples: [{ requestsPerDay: 500 }] })
const PlanParams = Type.Object({ plan: Type.Enum(PLANS) })

export const planRoutes: FastifyPluginAsyncTypebox<{ plans: Plans }> = async (app, { plans }) => {
  app.get('/plans', operation({
    operationId: 'listPlans',
    tag: 'Administration',
    summary: 'All plans and what they allow',
    caller: 'administrator',
    replies: { 200: Success(Type.Array(Plan, { description: 'The plans, smallest first.', examples: [[{ plan: 'free', limits: LIMITS, isDefault: true }]] })) }
  }), async () => ok(plans.list()))

  app.patch('/plans/:plan', operation({
    operationId: 'changePlan',
    tag: 'Administration',
    summary: 'Change what a plan allows',
    description: 'What is not named stays as it is. It holds from the next request on.',
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
    summary: 'Give a plan its default limits again',
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
