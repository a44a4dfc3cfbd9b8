/** The limits of each plan: the defaults, or what the administrator set. */
import { PLANS } from '../domain/access.js'
import type { Plan } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { DEFAULT_LIMITS } from '../domain/plans.js'
import type { PlanLimits } from '../domain/plans.js'
import type { PlanLimitsStore } from '../store/plan-limits.js'

export type PlanView = { plan: Plan, limits: PlanLimits, isDefault: boolean }

export function createPlans ({ planLimits }: { planLimits: PlanLimitsStore }) {
  let cached: { version: number, changed: Map<Plan, PlanLimits> } | undefined

  /** The changed limits, also those that another process changed. */
  function readChanged (): Map<Plan, PlanLimits> {
    const version = planLimits.readVersion()
    if (cached?.version !== version) cached = { version, changed: planLimits.list() }
    return cached.changed
  }

  const limitsOf = (plan: Plan): PlanLimits => readChanged().get(plan) ?? DEFAULT_LIMITS[plan]

  return {
    /** The limits in force now. Asked with every request, so it takes microseconds. */
    limitsOf,
    list: (): PlanView[] => PLANS.map((plan) => ({ plan, limits: limitsOf(plan), isDefault: !readChanged().has(plan) })),
    /** Changes the given limits and keeps the rest. `changes` must satisfy `PlanLimits`. */
    set (plan: Plan, changes: Readonly<Partial<PlanLimits>>): PlanLimits {
      const limits = { ...limitsOf(plan), ...changes }
      planLimits.upsert(plan, limits)
      cached = undefined
      return limits
    },
    /** Restores the defaults. */
    reset (plan: Plan): PlanLimits {
      planLimits.remove(plan)
      cached = undefined
      return DEFAULT_LIMITS[plan]
    }
  }
}
export type Plans = ReturnType<typeof createPlans>

/** Throws `not_in_plan` for a plan without diarization. */
export function requireDiarization (plans: Pick<Plans, 'limitsOf'>, plan: Plan): void {
  if (plans.limitsOf(plan).diarization) return
  throw new AppError('not_in_plan', `The plan "${plan}" does not include speakers. The administrator can give the key another plan.`)
}
