/** Plans: what each allows, by default or as the administrator has it. */
import { PLANS } from '../domain/access.js'
import type { Plan } from '../domain/access.js'
import { DEFAULT_LIMITS } from '../domain/plans.js'
import type { PlanLimits } from '../domain/plans.js'
import type { PlanLimitsStore } from '../store/plan-limits.js'

export type PlanView = { plan: Plan, limits: PlanLimits, isDefault: boolean }

export function createPlans ({ planLimits }: { planLimits: PlanLimitsStore }) {
  let cached: { version: number, changed: Map<Plan, PlanLimits> } | undefined

  /** What was changed, by us or by another process. */
  function readChanged (): Map<Plan, PlanLimits> {
    const version = planLimits.readVersion()
    if (cached?.version !== version) cached = { version, changed: planLimits.list() }
    return cached.changed
  }

  const limitsOf = (plan: Plan): PlanLimits => readChanged().get(plan) ?? DEFAULT_LIMITS[plan]

  return {
    /** What the plan allows right now: asked with every request, so it costs microseconds. */
    limitsOf,
    list: (): PlanView[] => PLANS.map((plan) => ({ plan, limits: limitsOf(plan), isDefault: !readChanged().has(plan) })),
    /** Changes what is named and keeps the rest. `changes` were checked by `PlanLimits`. */
    set (plan: Plan, changes: Readonly<Partial<PlanLimits>>): PlanLimits {
      const limits = { ...limitsOf(plan), ...changes }
      planLimits.upsert(plan, limits)
      cached = undefined
      return limits
    },
    /** Back to the limits of a fresh appliance. */
    reset (plan: Plan): PlanLimits {
      planLimits.remove(plan)
      cached = undefined
      return DEFAULT_LIMITS[plan]
    }
  }
}
export type Plans = ReturnType<typeof createPlans>
