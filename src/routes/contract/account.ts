/** Schemas of accounts that several routes share. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { PASSWORD_LENGTH, PLANS, ROLES } from '../../domain/access.js'
import type { PageSession } from '../../domain/page-session.js'
import { toIsoTime } from './schemas.js'

export const NewPassword = Type.String({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max })
/** A password that is compared with a stored one. */
export const Password = Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max })

export const ACCOUNT_EXAMPLE = { id: 3, name: 'anna', role: 'administrator', plan: 'enterprise', diarization: true }

export const Account = Type.Object({
  id: Type.Integer({ description: 'id of the owner' }),
  name: Type.String(),
  role: Type.Enum(ROLES, { description: 'administrators may use the operations of the section Administration' }),
  plan: Type.Enum(PLANS),
  diarization: Type.Boolean({ description: 'whether the plan includes speakers' })
}, { title: 'Account', description: 'The account.', examples: [ACCOUNT_EXAMPLE] })

export const Session = Type.Object({
  account: Account,
  expiresAt: Type.String({ format: 'date-time', description: 'end of the session' }),
  idleExpiresAt: Type.String({ format: 'date-time', description: 'end of the session if it is not used before' })
}, {
  title: 'Session', description: 'The session.',
  examples: [{ account: ACCOUNT_EXAMPLE, expiresAt: '2026-12-05T09:00:00.000Z', idleExpiresAt: '2026-11-22T09:00:00.000Z' }]
})

export function toSession ({ expiresAt, idleExpiresAt }: PageSession, account: Static<typeof Account>): Static<typeof Session> {
  return { account, expiresAt: toIsoTime(expiresAt), idleExpiresAt: toIsoTime(idleExpiresAt) }
}
