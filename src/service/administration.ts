/** Sessions of the administrator, who logs in with the configured password. */
import { createHash, randomBytes } from 'node:crypto'
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import type { LoginLimit } from './login-limit.js'
import type { Passwords } from './passwords.js'

const SESSION_MS = 12 * 3600_000
const IDLE_MS = 3600_000
/** Only the administrator can create sessions; this bounds their memory anyway. */
const MAX_SESSIONS = 100

/** RFC 9110 requires a challenge with every 401; no registered scheme fits cookies, so this one is our own. */
export const SESSION_CHALLENGE = { 'www-authenticate': 'Session realm="stenobox administration"' }

export type AdminSession = {
  /** Identifies the session in the log. It grants nothing. */
  id: string
  createdAt: number
  /** When it ends, used or not. */
  expiresAt: number
  /** When it ends if it is not used. */
  idleExpiresAt: number
}

type Deps = {
  /** Hash of the configured password. Undefined: no password is set, and administration over HTTP is off. */
  passwordHash: string | undefined
  passwords: Pick<Passwords, 'verify'>
  loginLimit: LoginLimit
  now: () => number
  log: Pick<Log, 'warn'>
}

const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export function createAdministration ({ passwordHash, passwords, loginLimit, now, log }: Deps) {
  /** Keyed by the hash of the cookie's secret, oldest first. */
  const sessions = new Map<string, AdminSession>()

  const isOver = (session: AdminSession): boolean => Math.min(session.expiresAt, session.idleExpiresAt) <= now()

  function requireOn (): void {
    if (passwordHash === undefined) {
      throw new AppError('administration_off', 'Sign in as an administrator. There is no other way, as STENOBOX_ADMIN_PASSWORD is not set.')
    }
  }

  function makeRoom (): void {
    for (const [hash, session] of sessions) if (isOver(session)) sessions.delete(hash)
    const [oldest] = sessions.keys()
    if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest)
  }

  function begin (): { secret: string, session: AdminSession } {
    makeRoom()
    const secret = randomBytes(32).toString('base64url')
    const at = now()
    const session = { id: randomBytes(4).toString('hex'), createdAt: at, expiresAt: at + SESSION_MS, idleExpiresAt: at + IDLE_MS }
    sessions.set(hashSecret(secret), session)
    return { secret, session }
  }

  return {
    /** Throws `administration_off` when no password is configured. */
    requireOn,
    /** Creates a session. Throws `administration_off`, `too_many_attempts`, and `unauthorized` for a wrong password. */
    async logIn (password: string, address: string): Promise<{ secret: string, session: AdminSession }> {
      requireOn()
      if (!await loginLimit.attempt(address, 'administrator', async () => await passwords.verify(passwordHash, password))) {
        log.warn({ address }, 'wrong password of the administrator')
        throw new AppError('unauthorized', 'The password is wrong.', { headers: SESSION_CHALLENGE })
      }
      return begin()
    },
    /** The session with this secret. Finding it counts as use. */
    find (secret: string): AdminSession | undefined {
      const hash = hashSecret(secret)
      const session = sessions.get(hash)
      if (!session || isOver(session)) {
        sessions.delete(hash)
        return undefined
      }
      session.idleExpiresAt = now() + IDLE_MS
      return { ...session }
    },
    end: (secret: string): void => { sessions.delete(hashSecret(secret)) }
  }
}
export type Administration = ReturnType<typeof createAdministration>
