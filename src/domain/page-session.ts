/** Sessions of people who are signed in on the page. */
import { createHash, randomBytes } from 'node:crypto'
import type { Plan, Role } from './access.js'

/** How long a session lasts at most, and how long without use, in ms. */
export const SESSION_MS = 14 * 24 * 3600_000
export const SESSION_IDLE_MS = 24 * 3600_000

/** How long after signing in a person without a password may change how the account is signed in to, in ms. */
export const FRESH_SIGN_IN_MS = 10 * 60_000

export type StoredSession = { id: number, ownerId: number, createdAt: number, lastUsedAt: number }

export type PageSession = StoredSession & {
  /** Plan and role of the owner, as they are now. */
  plan: Plan
  role: Role
  /** When it ends, used or not, in ms since 1970. */
  expiresAt: number
  /** When it ends if it is not used. */
  idleExpiresAt: number
}

/** When a session ends. */
export function sessionEnds ({ createdAt, lastUsedAt }: StoredSession): { expiresAt: number, idleExpiresAt: number } {
  return { expiresAt: createdAt + SESSION_MS, idleExpiresAt: lastUsedAt + SESSION_IDLE_MS }
}

/** 256 random bits, for a cookie or a link. */
export const generateSecret = (): string => randomBytes(32).toString('base64url')

/** The hash that is stored instead of a secret. A plain hash is enough: 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()
