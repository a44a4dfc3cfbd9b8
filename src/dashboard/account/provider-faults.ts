/** Why a sign-in at the identity provider failed, in the language of the page. */
import { ApiError } from '../api/client.ts'
import type { TextKey } from '../i18n/index.tsx'

const SENTENCES: Readonly<Record<string, TextKey>> = {
  sign_in_expired: 'account.fault.expired',
  sign_in_refused: 'account.fault.refused',
  sign_in_too_old: 'account.fault.tooOld',
  wrong_password: 'account.fault.wrongPassword',
  no_account: 'account.fault.noAccount',
  conflict: 'account.fault.taken',
  unavailable: 'account.fault.unavailable',
  too_many_attempts: 'account.fault.tooMany'
}

/** For `Fault`: a sentence where there is one for the refusal, else the error itself. */
export function describeFault (error: unknown, t: (key: TextKey) => string): unknown {
  const key = error instanceof ApiError ? SENTENCES[error.code] : undefined
  return key === undefined ? error : t(key)
}
