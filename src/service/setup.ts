/** First start: the first account, which is an administrator. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { DEFAULT_OWNER } from '../domain/access.js'
import type { Owner } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import { hashSecret } from '../domain/page-session.js'
import type { InTransaction } from '../store/database.js'
import type { IdentityStore } from '../store/identities.js'
import type { OwnerStore } from '../store/owners.js'
import { PAGE_CHALLENGE } from './accounts.js'
import type { LoginLimit } from './login-limit.js'
import type { Passwords } from './passwords.js'
import type { BegunSession, Sessions } from './sessions.js'

type Deps = {
  owners: OwnerStore
  identities: Pick<IdentityStore, 'isOfPerson'>
  sessions: Pick<Sessions, 'begin'>
  passwords: Pick<Passwords, 'hash'>
  loginLimit: LoginLimit
  inTransaction: InTransaction
  now: () => number
  log: Pick<Log, 'info' | 'warn'>
}

export type FirstAccount = {
  name: string
  password: string
  /** The printed token. */
  token: string | undefined
  /** True for a browser on this machine, which needs no token. */
  isLocal: boolean
  /** Of the client. */
  address: string
}

const nameOfPerson = (): AppError => new AppError(
  'conflict',
  'This name belongs to somebody who signs in at the identity provider. Choose another name; or, to make that person an administrator, ' +
    'use the command "stenobox owners role" on the appliance.'
)
const alreadyDone = (): AppError => new AppError('conflict', 'There is an account already. Sign in with it.')

export function createSetup ({ owners, identities, sessions, passwords, loginLimit, inTransaction, now, log }: Deps) {
  /** In memory: a restart prints a new one. */
  const token = randomBytes(16).toString('base64url')

  const isNeeded = (): boolean => !owners.hasAccount()

  /** Throws `unauthorized` for a wrong token and `too_many_attempts` after several. */
  async function requireToken (given: string | undefined, address: string): Promise<void> {
    const isRight = await loginLimit.attempt(address, 'first start', async () =>
      timingSafeEqual(hashSecret(given ?? ''), hashSecret(token)))
    if (isRight) return
    log.warn({ address }, 'wrong token of the first start')
    throw new AppError('unauthorized', 'The token is missing or wrong. The server prints it when it starts.', { headers: PAGE_CHALLENGE })
  }

  /**
   * The owner that becomes the account: the one with this name, the only one if it is the default owner, or a new one. Never one who signs
   * in at the identity provider and so belongs to somebody. Throws `conflict` when such an owner has the name.
   */
  function claimOwner (name: string): number {
    const isTaken = ({ id }: Owner): boolean => identities.isOfPerson(id)
    const [first, second] = owners.list({ after: 0, limit: 2 })
    const named = owners.findByName(name)
    if (named && isTaken(named)) throw nameOfPerson()
    const isOnlyDefault = second === undefined && first?.name === DEFAULT_OWNER && !isTaken(first)
    const known = named ?? (isOnlyDefault ? first : undefined)
    if (known) return owners.update({ ...known, name })?.id ?? known.id
    const made = owners.insert({ name, plan: 'enterprise', now: now() })
    if (!made) throw new Error('owner vanished between two statements of a transaction')
    return made.id
  }

  return {
    /** True until there is an owner with a password. */
    isNeeded,
    /** What a browser on another machine must send. */
    token,
    /**
     * Creates the first account and signs it in. Of two calls at the same time, one succeeds. Throws `conflict` when there is an account
     * already, or the name belongs to a person of the identity provider; `unauthorized` for a wrong token, `too_many_attempts` after
     * several.
     */
    async setUp ({ name, password, token: given, isLocal, address }: FirstAccount): Promise<BegunSession> {
      if (!isNeeded()) throw alreadyDone()
      if (!isLocal) await requireToken(given, address)
      const passwordHash = await passwords.hash(password)
      const ownerId = inTransaction(() => {
        if (!isNeeded()) throw alreadyDone()
        const id = claimOwner(name)
        owners.setPasswordHash(id, passwordHash)
        owners.setRole(id, 'administrator')
        return id
      })
      log.info({ ownerId }, 'the first account was created')
      return sessions.begin(ownerId, undefined)
    }
  }
}
export type Setup = ReturnType<typeof createSetup>
