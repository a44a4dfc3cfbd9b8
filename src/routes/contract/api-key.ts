/** API keys in JSON, as their owner and the administrator see them. */
import Type from 'typebox'
import { KEY_STATES, MAX_GRACE_SECONDS } from '../../domain/access.js'
import type { KeyView } from '../../service/keys.js'
import { toIsoTime } from './schemas.js'

const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

/** Fields of every key. */
export const KEY_FIELDS = {
  id: Type.Integer(),
  name: Type.String(),
  lastFour: Type.String({ description: 'last four characters of the key' }),
  state: Type.Enum(KEY_STATES, { description: 'only live keys are accepted' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Time('last use, to the minute'),
  expiresAt: Time('expiry time'),
  revokedAt: Time('time of revocation')
}
/** Only in the reply to the request that made the key. */
export const SECRET_FIELD = { key: Type.String({ description: 'the key itself, shown only once' }) }

export const NEW_KEY_EXAMPLE = { id: 7, name: 'laptop', lastFour: 'x3Qk', state: 'live', createdAt: '2026-11-21T09:00:00.000Z' }
export const KEY_EXAMPLE = { ...NEW_KEY_EXAMPLE, lastUsedAt: '2026-11-21T09:30:00.000Z' }
export const SECRET_EXAMPLE = { key: 'service_sk_2bD1mM0Zr0wq5k3sY9o7VhXcTtq8uJ4nE6aLfPiGx3Qk' }

export const graceSeconds = (more: { default?: number } = {}) => Type.Integer({
  minimum: 0, maximum: MAX_GRACE_SECONDS, ...more,
  description: 'seconds for which the old key still works; 0: it stops working immediately'
})

/** The values of `KEY_FIELDS`. */
export const toKeyFields = ({ id, name, lastFour, state, createdAt, lastUsedAt, expiresAt, revokedAt }: KeyView) => ({
  id, name, lastFour, state,
  createdAt: toIsoTime(createdAt),
  ...(lastUsedAt === undefined ? {} : { lastUsedAt: toIsoTime(lastUsedAt) }),
  ...(expiresAt === undefined ? {} : { expiresAt: toIsoTime(expiresAt) }),
  ...(revokedAt === undefined ? {} : { revokedAt: toIsoTime(revokedAt) })
})
