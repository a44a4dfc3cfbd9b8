/** Who may call: API keys, owners, plans. */
import { createHash, randomBytes } from 'node:crypto'

export const PLANS = ['free', 'build', 'scale', 'pro', 'agency', 'enterprise'] as const
export type Plan = typeof PLANS[number]

const KEY_PREFIX = 'service_sk_'

/** What an OAuth token may be granted, in the order of the registry, and what each allows. */
export const SCOPES = {
  'transcripts:read': 'view transcripts and their status',
  'transcripts:write': 'create transcriptions',
  'transcripts:export': 'export transcripts',
  'library:search': 'search the library',
  'ai:transform': 'make summaries, chapters, quotes and posts from transcripts'
} as const
export type Scope = keyof typeof SCOPES

/** Other names under which clients know registered scopes. */
const SCOPE_ALIASES: ReadonlyMap<string, Scope> = new Map([['exports:read', 'transcripts:export'], ['repurpose:run', 'ai:transform']])

/** The registered scopes among `names`, aliases by their registered name, in the order of the registry. Unknown ones are dropped. */
export function registeredScopes (names: Iterable<string>): Set<Scope> {
  const wanted = new Set<string>([...names].map((name) => SCOPE_ALIASES.get(name) ?? name))
  return new Set((Object.keys(SCOPES) as Scope[]).filter((scope) => wanted.has(scope)))
}

/** The caller of a request. */
export type Principal = {
  ownerId: number
  plan: Plan
  /** The API key; absent for OAuth tokens. */
  keyId?: number
  /** What an OAuth token may do; absent for API keys, which may do everything of their owner's. */
  scopes?: ReadonlySet<Scope>
}

export type Owner = {
  id: number
  name: string
  /** What OAuth tokens of the owner may do, and new keys when nothing else is said. */
  plan: Plan
  /** Whether the owner can log in at our own authorization server. */
  hasPassword: boolean
  /** Names and terms of its recordings. */
  terms: string[]
  createdAt: number
}

/** Control characters, ends of lines, turns of direction, what has no width and joins nothing, and halves of surrogate pairs. */
const BARRED = String.raw`\u0000-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff`
/** Names of owners and keys: nothing that would spoil lists, and nothing around that nobody sees. */
export const NAME_PATTERN = `^[^\\s${BARRED}](?:[^${BARRED}]*[^\\s${BARRED}])?$`
export const MAX_NAME_LENGTH = 100

/** Characters of a password that somebody chooses. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const

export type ApiKey = {
  id: number
  name: string
  ownerId: number
  /** The owner's name. */
  owner: string
  plan: Plan
  /** The last four characters, to tell keys apart; the key itself is not kept. */
  lastFour: string
  createdAt: number
  lastUsedAt: number | undefined
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** The key that rotation made in its place. */
  replacedBy: number | undefined
}

export const KEY_STATES = ['live', 'expired', 'revoked'] as const
export type KeyState = typeof KEY_STATES[number]

/** Only live keys open anything. */
export function keyState ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'live'
}

/** How long a key may go on working beside the one that replaced it. */
export const MAX_GRACE_SECONDS = 30 * 24 * 3600

/** A key that is to end at all ends within ten years. */
export const MAX_KEY_SECONDS = 10 * 365 * 24 * 3600

/** A part of a list in the order of ids: up to `limit` rows after the id `after`. */
export type Page = { after: number, limit: number }

/** True for what looks like a key of ours; any other credential is an OAuth token. */
export function isApiKey (credential: string): boolean {
  return credential.startsWith(KEY_PREFIX)
}

/** A new key: the prefix and 256 random bits. */
export function generateKey (): string {
  return KEY_PREFIX + randomBytes(32).toString('base64url')
}

/** What is stored instead of a key. Keys hold 256 bits of entropy, so a plain hash is enough: there is nothing to guess. */
export function hashKey (key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
