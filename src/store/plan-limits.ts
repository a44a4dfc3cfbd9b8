/** Plan limits that the administrator has changed. */
import type { Plan } from '../domain/access.js'
import type { PlanLimits } from '../domain/plans.js'
import type { Database } from './database.js'

type LimitsRow = { plan: Plan, requests_per_day: number | null, speech_minutes_per_month: number | null, diarization: 0 | 1 }

const toLimits = (row: LimitsRow): PlanLimits => ({
  requestsPerDay: row.requests_per_day,
  speechMinutesPerMonth: row.speech_minutes_per_month,
  diarization: row.diarization === 1
})

export function createPlanLimitsStore (db: Database) {
  const list = db.prepare<[], LimitsRow>('SELECT plan, requests_per_day, speech_minutes_per_month, diarization FROM plan_limits')
  const upsert = db.prepare(`
    INSERT INTO plan_limits (plan, requests_per_day, speech_minutes_per_month, diarization)
    VALUES (:plan, :requestsPerDay, :speechMinutesPerMonth, :diarization)
    ON CONFLICT (plan) DO UPDATE
    SET requests_per_day = excluded.requests_per_day,
      speech_minutes_per_month = excluded.speech_minutes_per_month,
      diarization = excluded.diarization
  `)
  const remove = db.prepare<{ plan: Plan }>('DELETE FROM plan_limits WHERE plan = :plan')
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()

  return {
    list: (): Map<Plan, PlanLimits> => new Map(list.all().map((row) => [row.plan, toLimits(row)])),
    upsert: (plan: Plan, limits: PlanLimits): void => { upsert.run({ plan, ...limits, diarization: limits.diarization ? 1 : 0 }) },
    remove: (plan: Plan): void => { remove.run({ plan }) },
    /** A number that changes when another connection, such as a command line, has written to the database. */
    readVersion: (): number => version.get() ?? 0
  }
}
export type PlanLimitsStore = ReturnType<typeof createPlanLimitsStore>
