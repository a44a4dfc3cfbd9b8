/** Accounts: owners who sign in on the page. */
import type { Owner, Plan, Role } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import { providerName } from '../domain/identity.js'
import { FRESH_SIGN_IN_MS } from '../domain/page-session.js'
import type { PageSession } from '../domain/page-session.js'
import type { Identities } from './identities.js'
import { ownerNamed } from './login-limit.js'
import type { LoginLimit } from './login-limit.js'
import type { Owners } from './owners.js'
import type { Plans } from './plans.js'
import type { BegunSession, Sessions } from './sessions.js'

/** RFC 9110 requires a challenge with every 401; no registered scheme fits cookies, so this one is our own. */
export const PAGE_CHALLENGE = { 'www-authenticate': 'Session realm="stenobox"' }

export type Account = {
  id: number
  name: string
  role: Role
  plan: Plan
  /** Whether the plan includes speakers. */
  diarization: boolean
}

/** How an account can be signed in to. */
export type SignInWays = {
  hasPassword: boolean
  /** At the identity provider; undefined: there is none. `connectedAt` in ms since 1970; undefined: the account is not connected. */
  provider: { name: string, connectedAt: number | undefined } | undefined
}

type Deps = {
  owners: Pick<Owners, 'find' | 'changePassword' | 'verifyPassword'>
  sessions: Pick<Sessions, 'begin' | 'end'>
  plans: Pick<Plans, 'limitsOf'>
  loginLimit: LoginLimit
  identities: Pick<Identities, 'of'>
  /** The identity provider at which people sign in. Undefined: they do so with a password only. */
  issuer: string | undefined
  now: () => number
  log: Pick<Log, 'warn'>
}
/** Who signs in: name and password, the address of the client, and the secret that the browser had before. */
type SignIn = { name: string, password: string, address: string, replaced: string | undefined }

export function createAccounts ({ owners, sessions, plans, loginLimit, identities, issuer, now, log }: Deps) {
  const view = ({ id, name, role, plan }: Owner): Account =>
    ({ id, name, role, plan, diarization: plans.limitsOf(plan).diarization })

  /** The owner with this name and password. Throws `too_many_attempts`; undefined when one of them is wrong. */
  async function verify (name: string, password: string, address: string): Promise<number | undefined> {
    let ownerId: number | undefined
    const isRight = await loginLimit.attempt(address, ownerNamed(name), async () => {
      ownerId = await owners.verifyPassword(name, password)
      return ownerId !== undefined
    })
    if (!isRight) log.warn({ address }, 'wrong name or password of an owner')
    return ownerId
  }

  /** Throws `wrong_password`, `too_many_attempts`. */
  async function requirePassword (ownerId: number, password: string, address: string): Promise<void> {
    if (await verify(owners.find(ownerId).name, password, address) === ownerId) return
    throw new AppError('wrong_password', 'The current password is wrong.')
  }

  /** When the account was connected. An identity at an earlier provider does not count. */
  function connectedAt (ownerId: number): number | undefined {
    const identity = identities.of(ownerId)
    return identity?.issuer === issuer ? identity?.createdAt : undefined
  }

  return {
    /** Throws `not_found`. */
    find: (ownerId: number): Account => view(owners.find(ownerId)),
    /** Throws `not_found`. */
    signInWays: (ownerId: number): SignInWays => ({
      hasPassword: owners.find(ownerId).hasPassword,
      provider: issuer === undefined ? undefined : { name: providerName(issuer), connectedAt: connectedAt(ownerId) }
    }),
    /** Begins a session. Throws `unauthorized` for a wrong name or password, `too_many_attempts`, and `unavailable` when busy. */
    async signIn ({ name, password, address, replaced }: SignIn): Promise<BegunSession> {
      const ownerId = await verify(name, password, address)
      if (ownerId === undefined) throw new AppError('unauthorized', 'The name or the password is wrong.', { headers: PAGE_CHALLENGE })
      return sessions.begin(ownerId, replaced)
    },
    signOut: ({ id }: PageSession): void => { sessions.end(id) },
    /** Changes the password and ends all other sessions. Throws `wrong_password`, `too_many_attempts`, `unauthorized`. */
    async changePassword (session: PageSession, passwords: { current: string, next: string }, address: string): Promise<void> {
      await requirePassword(session.ownerId, passwords.current, address)
      await owners.changePassword(session, passwords.next)
    },
    /**
     * Makes sure that the person of the account is here, and not only their session: by the password, or, if the account has none, by a
     * sign-in a few minutes ago. Throws `wrong_password`, `too_many_attempts`, `sign_in_too_old`.
     */
    async confirmPerson ({ ownerId, createdAt }: PageSession, password: string | undefined, address: string): Promise<void> {
      if (owners.find(ownerId).hasPassword) {
        if (password !== undefined) return await requirePassword(ownerId, password, address)
        throw new AppError('wrong_password', 'Send the password of the account in the field "password".')
      }
      // The clock may have been set back since.
      if (Math.abs(now() - createdAt) <= FRESH_SIGN_IN_MS) return
      throw new AppError('sign_in_too_old', 'This account has no password, and you signed in too long ago for this. Sign in again first.')
    }
  }
}
export type Accounts = ReturnType<typeof createAccounts>
