/** The option `speakers` of a request: whether speakers are identified, and how many the caller expects. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { AppError } from './errors.js'
import type { SpeakerCount } from './speaker-clusters.js'

/** The most speakers that a caller may expect in one recording. */
export const MAX_SPEAKERS = 40

const Count = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SPEAKERS, description }))

/** What callers send. `parseSpeakers` applies the rules that a schema cannot express. */
export const SpeakersOption = Type.Union([
  Type.Boolean(),
  Type.Object({
    min: Count('at least this many speakers'),
    max: Count('at most this many speakers'),
    exact: Count('exactly this many speakers; not together with min or max')
  }, { additionalProperties: false })
], {
  description: 'false: do not identify speakers; true: identify them; an object: identify them, with what is known of their number. ' +
    'Default: true on plans with diarization, false on others'
})
export type SpeakersOption = Static<typeof SpeakersOption>

function requireCount (value: number | undefined, name: string): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= MAX_SPEAKERS)) return
  throw new AppError('invalid_request', `${name}: must be a whole number from 1 to ${MAX_SPEAKERS}`)
}

/** Checks the option; `field` names it in errors. Undefined when the caller says nothing. Throws `invalid_request`. */
export function parseSpeakers (option: SpeakersOption | undefined, field: string): false | SpeakerCount | undefined {
  if (option === undefined || option === false) return option
  if (option === true) return {}
  const { min, max, exact } = option
  for (const [name, value] of Object.entries({ min, max, exact })) requireCount(value, `${field}.${name}`)
  if (exact !== undefined) {
    if (min === undefined && max === undefined) return { min: exact, max: exact }
    throw new AppError('invalid_request', `${field}: exact cannot be combined with min or max`)
  }
  if (min !== undefined && max !== undefined && min > max) {
    throw new AppError('invalid_request', `${field}: min must not be greater than max`)
  }
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

/** Whether the separately transcribed channels are the speakers: yes, unless the number of speakers is known to differ. */
export function areChannelsSpeakers (channels: number, { min = 1, max = Infinity }: SpeakerCount): boolean {
  return channels > 1 && min <= channels && max >= channels
}
