/** Schemas of accounts that several routes share. */
import Type from 'typebox'
import { PASSWORD_LENGTH, PLANS, ROLES } from '../../domain/access.js'

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
