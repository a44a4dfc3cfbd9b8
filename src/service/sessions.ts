/** Sessions of the page: begin, find, end. */
import { isBusy, isNoRoom } from '../domain/errors.js'
import { generateSecret, hashSecret, SESSION_IDLE_MS, SESSION_MS, sessionEnds } from '../domain/page-session.js'
import type { PageSession } from '../domain/page-session.js'
import type { InTransaction } from '../store/database.js'
import type { FoundSession, SessionStore } from '../store/sessions.js'

/** The last use is written at most this often: a page that polls must not cost a disk write each time. */
const LAST_USE_RESOLUTION_MS = 60_000
/** Browsers in which an owner may be signed in at the same time. The oldest session ends when there is one more. */
const MAX_PER_OWNER = 50

type Deps = { sessions: SessionStore, inTransaction: InTransaction, now: () => number }
/** A new session with the secret for the cookie, which is returned only here. */
export type BegunSession = { secret: string, session: PageSession }

export function createSessions ({ sessions, inTransaction, now }: Deps) {
  const view = (session: FoundSession): PageSession => ({ ...session, ...sessionEnds(session) })

  /** The session after it was used now. */
  function noteUse (session: FoundSession): FoundSession {
    const at = now()
    if (at - session.lastUsedAt < LAST_USE_RESOLUTION_MS) return session
    try {
      sessions.touch(session.id, at)
    } catch (error) {
      // A full disk or another process's long write must not lock out a person who only wants to read.
      if (!isNoRoom(error) && !isBusy(error)) throw error
      return session
    }
    return { ...session, lastUsedAt: at }
  }

  function look (secret: string): FoundSession | undefined {
    const found = sessions.findByHash(hashSecret(secret))
    if (!found) return undefined
    const { expiresAt, idleExpiresAt } = sessionEnds(found)
    return Math.min(expiresAt, idleExpiresAt) <= now() ? undefined : found
  }

  /** The session with this secret; undefined when there is none or it has ended. Finding it counts as use. */
  function find (secret: string): PageSession | undefined {
    const found = look(secret)
    return found && view(noteUse(found))
  }

  return {
    find,
    /** Whether the session is still valid. Asking does not count as use: a page that is left open must not keep its session alive. */
    isOpen: (secret: string): boolean => look(secret) !== undefined,
    /** Begins a session of an owner. `replaced`: the secret that the browser had before; its session ends. */
    begin (ownerId: number, replaced: string | undefined): BegunSession {
      const secret = generateSecret()
      return inTransaction(() => {
        if (replaced !== undefined) sessions.removeByHash(hashSecret(replaced))
        sessions.insert({ ownerId, hash: hashSecret(secret), now: now() })
        sessions.removeBeyond(ownerId, MAX_PER_OWNER)
        const session = find(secret)
        if (!session) throw new Error('session vanished after insert')
        return { secret, session }
      })
    },
    end: (id: number): void => { sessions.remove(id) },
    /** Removes sessions that have ended. */
    sweep (): void {
      sessions.removeEnded({ usedBefore: now() - SESSION_IDLE_MS, createdBefore: now() - SESSION_MS })
    }
  }
}
export type Sessions = ReturnType<typeof createSessions>
