/** Who may call: API keys, owners, plans. */
import { createHash, randomBytes } from 'node:crypto'

export const PLANS = ['free', 'build', 'scale', 'pro', 'agency', 'enterprise'] as const
export type Plan = typeof PLANS[number]

const KEY_PREFIX = 'service_sk_'

/** The scopes an OAuth token may carry, in the order of the registry, with what each allows. */
export const SCOPES = {
  'transcripts:read': 'view transcripts and their status',
  'transcripts:write': 'create, retry and delete transcriptions',
  'transcripts:export': 'export transcripts',
  'library:search': 'search the library',
  'ai:transform': 'make summaries, chapters, quotes and posts from transcripts'
} as const
export type Scope = keyof typeof SCOPES

/** The scopes that operations require. Only these are advertised; a test compares them with the declarations of the operations. */
export const OFFERED_SCOPES = [
  'transcripts:read', 'transcripts:write', 'transcripts:export', 'library:search', 'ai:transform'
] as const satisfies readonly Scope[]

/** Other names that some clients use for registered scopes. */
const SCOPE_ALIASES: ReadonlyMap<string, Scope> = new Map([['exports:read', 'transcripts:export'], ['repurpose:run', 'ai:transform']])

/** The registered scopes among `names`, in the order of the registry. Aliases become the registered name; unknown names are dropped. */
export function registeredScopes (names: Iterable<string>): Set<Scope> {
  const wanted = new Set<string>([...names].map((name) => SCOPE_ALIASES.get(name) ?? name))
  return new Set((Object.keys(SCOPES) as Scope[]).filter((scope) => wanted.has(scope)))
}

/** What the account of an owner may do besides using its own library: nothing, or administer the appliance. */
export const ROLES = ['owner', 'administrator'] as const
export type Role = typeof ROLES[number]

/** The caller of a request. */
export type Principal = {
  ownerId: number
  plan: Plan
  /** The API key; absent for OAuth tokens and sessions of the page. */
  keyId?: number
  /** The session of the page; absent for API keys and OAuth tokens. */
  sessionId?: number
  /** The scopes of an OAuth token. Absent for API keys and sessions, which can do everything that their owner can. */
  scopes?: ReadonlySet<Scope>
}

export type Owner = {
  id: number
  name: string
  /** The plan of the owner's OAuth tokens, and of new keys that name no plan. */
  plan: Plan
  role: Role
  /** Whether the owner can sign in on the page, and at our own authorization server. */
  hasPassword: boolean
  /** Names and terms expected in the owner's recordings. */
  terms: string[]
  /** Maximum age of recordings in days; 0: no maximum; absent: as configured. */
  mediaDays?: number
  /** The same for transcripts. */
  transcriptDays?: number
  /** Maximum ages that the owner has set; absent: none. They count where they are shorter. */
  ownMediaDays?: number
  ownTranscriptDays?: number
  createdAt: number
}

/** Control characters, line separators, direction marks, zero-width characters that join nothing, and lone surrogates. */
const BARRED = String.raw`\u0000-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff`
/** The owner that commands and the first key use when none is named. */
export const DEFAULT_OWNER = 'default'

/** Names of owners and keys: no control or invisible characters, no leading or trailing whitespace. */
export const NAME_PATTERN = `^[^\\s${BARRED}](?:[^${BARRED}]*[^\\s${BARRED}])?$`
export const MAX_NAME_LENGTH = 100

/** The longest time to retain recordings or transcripts, in days. */
export const MAX_DAYS = 36_500

/** Length of a password that a person chooses, in characters. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const

export type ApiKey = {
  id: number
  name: string
  ownerId: number
  /** The owner's name. */
  owner: string
  plan: Plan
  /** The last four characters, to tell keys apart. The key itself is not stored. */
  lastFour: string
  createdAt: number
  lastUsedAt: number | undefined
  expiresAt: number | undefined
  revokedAt: number | undefined
  /** The key that replaced this one in a rotation. */
  replacedBy: number | undefined
}

export const KEY_STATES = ['live', 'expired', 'revoked'] as const
export type KeyState = typeof KEY_STATES[number]

/** Only live keys are accepted. */
export function keyState ({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: number): KeyState {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'live'
}

/** How long a rotated key may keep working beside its replacement. */
export const MAX_GRACE_SECONDS = 30 * 24 * 3600

/** The latest expiry a key may have: ten years from now. */
export const MAX_KEY_SECONDS = 10 * 365 * 24 * 3600

/** A page of a list ordered by id: up to `limit` rows with ids above `after`. */
export type Page = { after: number, limit: number }

/** True for text with our key prefix. Any other credential is an OAuth token. */
export function isApiKey (credential: string): boolean {
  return credential.startsWith(KEY_PREFIX)
}

/** A new key: the prefix and 256 random bits. */
export function generateKey (): string {
  return KEY_PREFIX + randomBytes(32).toString('base64url')
}

/** The hash that is stored instead of the key. A plain hash is enough: 256 random bits cannot be guessed. */
export function hashKey (key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
