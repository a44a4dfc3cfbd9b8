/** The limits of plans. The administrator may change them; these are the defaults. */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Plan } from './access.js'

/** A whole number up to `maximum`, or no limit at all. */
const Limit = (maximum: number, description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum }), Type.Null()], { description: `${description}; null: no limit` })

export const PlanLimits = Type.Object({
  requestsPerDay: Limit(1_000_000_000, 'requests of an owner per day (UTC)'),
  speechMinutesPerMonth: Limit(1_000_000_000, 'minutes of recordings transcribed for an owner per calendar month (UTC)'),
  diarization: Type.Boolean({ description: 'whether speakers are identified' })
}, {
  title: 'PlanLimits',
  description: 'The limits of the plan.',
  examples: [{ requestsPerDay: 100, speechMinutesPerMonth: null, diarization: false }]
})
export type PlanLimits = Static<typeof PlanLimits>

/** An hour of recordings on every working day. */
const BUILD_MINUTES = 25 * 60
/** Eight hours of recordings on every day: two cores with whisper's base model keep up with dozens of such owners. */
const SCALE_MINUTES = 250 * 60

/**
 * Free limits requests; build and scale limit minutes; agency has the limits of scale. Pro lies between scale and agency and has the limits
 * of build: a higher plan never allows less than the next lower plan of its kind.
 */
export const DEFAULT_LIMITS: Readonly<Record<Plan, PlanLimits>> = {
  free: { requestsPerDay: 100, speechMinutesPerMonth: null, diarization: false },
  build: { requestsPerDay: null, speechMinutesPerMonth: BUILD_MINUTES, diarization: false },
  scale: { requestsPerDay: null, speechMinutesPerMonth: SCALE_MINUTES, diarization: false },
  pro: { requestsPerDay: null, speechMinutesPerMonth: BUILD_MINUTES, diarization: true },
  agency: { requestsPerDay: null, speechMinutesPerMonth: SCALE_MINUTES, diarization: true },
  enterprise: { requestsPerDay: null, speechMinutesPerMonth: null, diarization: true }
}
