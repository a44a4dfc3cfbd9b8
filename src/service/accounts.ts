/** Accounts: owners who sign in on the page. */
import type { Owner, Plan, Role } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import type { PageSession } from '../domain/page-session.js'
import { ownerNamed } from './login-limit.js'
import type { LoginLimit } from './login-limit.js'
import type { Owners } from './owners.js'
import type { Plans } from './plans.js'
import type { ProviderSignIn } from './provider-sign-in.js'
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
  owners: Pick<Owners, 'find' | 'setPassword' | 'verifyPassword'>
  sessions: Pick<Sessions, 'begin' | 'end'>
  plans: Pick<Plans, 'limitsOf'>
  loginLimit: LoginLimit
  /** Undefined: people sign in with a password only. */
  providerSignIn: Pick<ProviderSignIn, 'name' | 'connectedAt'> | undefined
  log: Pick<Log, 'warn'>
}
/** Who signs in: name and password, the address of the client, and the secret that the browser had before. */
type SignIn = { name: string, password: string, address: string, replaced: string | undefined }

export function createAccounts ({ owners, sessions, plans, loginLimit, providerSignIn, log }: Deps) {
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

  return {
    /** Throws `not_found`. */
    find: (ownerId: number): Account => view(owners.find(ownerId)),
    /** Throws `not_found`. */
    signInWays: (ownerId: number): SignInWays => ({
      hasPassword: owners.find(ownerId).hasPassword,
      provider: providerSignIn && { name: providerSignIn.name, connectedAt: providerSignIn.connectedAt(ownerId) }
    }),
    /** Begins a session. Throws `unauthorized` for a wrong name or password, `too_many_attempts`, and `unavailable` when busy. */
    async signIn ({ name, password, address, replaced }: SignIn): Promise<BegunSession> {
      const ownerId = await verify(name, password, address)
      if (ownerId === undefined) throw new AppError('unauthorized', 'The name or the password is wrong.', { headers: PAGE_CHALLENGE })
      return sessions.begin(ownerId, replaced)
    },
    signOut: ({ id }: PageSession): void => { sessions.end(id) },
    /** Changes the password and ends all other sessions. Throws `wrong_password`, `too_many_attempts`. */
    async changePassword ({ id, ownerId }: PageSession, passwords: { current: string, next: string }, address: string): Promise<void> {
      const { name } = owners.find(ownerId)
      if (await verify(name, passwords.current, address) !== ownerId) {
        throw new AppError('wrong_password', 'The current password is wrong.')
      }
      await owners.setPassword(ownerId, passwords.next, id)
    }
  }
}
export type Accounts = ReturnType<typeof createAccounts>
