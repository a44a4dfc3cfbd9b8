/**
 * Visits to the identity provider: begun here, not yet back. In memory, because they last minutes; a restart ends them. A visit belongs to
 * the browser that has its secret in a cookie, and can be used once.
 */
import { AppError } from '../domain/errors.js'
import { generateSecret, hashSecret } from '../domain/page-session.js'
import { networkOf } from './login-limit.js'

/** How long a person may take at the provider. */
export const VISIT_MS = 10 * 60_000
/** Anybody can begin a visit, so there are limits. At a limit, the oldest visit is dropped. */
const PER_NETWORK = 100
const IN_TOTAL = 5000

export type Visit = {
  /** Comes back with the answer. */
  state: string
  /** Is in the ID token. */
  nonce: string
  /** Of PKCE: without it the code is of no use. */
  verifier: string
  /** The account that is to be connected; undefined: somebody signs in. */
  ownerId: number | undefined
}
type Open = Visit & { network: string, endsAt: number }

const expired = (): AppError =>
  new AppError('sign_in_expired', 'This sign-in has expired, or was begun in another browser. Begin again.')

export function createProviderVisits ({ now }: { now: () => number }) {
  /** By the hash of the secret, oldest first. */
  const visits = new Map<string, Open>()
  const keyOf = (secret: string): string => hashSecret(secret).toString('base64url')

  function makeRoom (network: string): void {
    for (const [key, { endsAt }] of visits) if (endsAt <= now() || endsAt > now() + VISIT_MS) visits.delete(key)
    const own = [...visits].filter(([, visit]) => visit.network === network).map(([key]) => key)
    const [oldest] = own.length >= PER_NETWORK ? own : visits.size >= IN_TOTAL ? visits.keys() : []
    if (oldest !== undefined) visits.delete(oldest)
  }

  return {
    /** Returns the visit and the secret for the browser. `address`: of the client. */
    begin (address: string, ownerId: number | undefined): { secret: string, visit: Visit } {
      const network = networkOf(address)
      makeRoom(network)
      const secret = generateSecret()
      const visit = { state: generateSecret(), nonce: generateSecret(), verifier: generateSecret(), ownerId }
      visits.set(keyOf(secret), { ...visit, network, endsAt: now() + VISIT_MS })
      return { secret, visit }
    },
    /** The visit of this browser, which is over with this. Throws `sign_in_expired`, also when it was begun for something else. */
    end (secret: string | undefined, state: string, ownerId: number | undefined): Visit {
      const key = keyOf(secret ?? '')
      const visit = visits.get(key)
      visits.delete(key)
      if (!visit || visit.endsAt <= now() || visit.state !== state || visit.ownerId !== ownerId) throw expired()
      return visit
    }
  }
}
export type ProviderVisits = ReturnType<typeof createProviderVisits>
