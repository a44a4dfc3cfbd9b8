/** Authenticates OAuth access tokens: the owner and the scopes. */
import { MAX_NAME_LENGTH, NAME_PATTERN, registeredScopes } from '../domain/access.js'
import type { Owner, Principal } from '../domain/access.js'
import type { Claims, VerifyToken } from '../engine/tokens/jwt.js'
import type { OwnerStore } from '../store/owners.js'

/** Finds the owner of a token; undefined when there is none. */
export type FindOwner = (claims: Claims) => Owner | undefined

const NAME = new RegExp(NAME_PATTERN, 'u')

type ClaimDeps = { owners: Pick<OwnerStore, 'findByName' | 'insert'>, claim: string, create: boolean, now: () => number }

/** Finds owners by a name that the provider puts into `claim`. With `create`, unknown owners are created on first use. */
export function ownersByClaim ({ owners, claim, create, now }: ClaimDeps): FindOwner {
  return (claims) => {
    const name = claims[claim]
    if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !NAME.test(name)) return undefined
    const known = owners.findByName(name)
    if (known || !create) return known
    return owners.insert({ name, plan: 'enterprise', now: now() }) ?? owners.findByName(name)
  }
}

/** Finds owners by the id that our own server puts into `sub`. Unlike a name, an id is never given to another owner. */
export function ownersById (owners: Pick<OwnerStore, 'find'>): FindOwner {
  return ({ sub = '' }) => /^[1-9]\d{0,14}$/.test(sub) ? owners.find(Number(sub)) : undefined
}

/** The names of scopes: text with spaces (RFC 9068) or a list, in `scope` or (with some providers) `scp`. */
function scopeNames ({ scope, scp }: Claims): string[] {
  const names = scope ?? scp
  if (typeof names === 'string') return names.split(' ')
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

export function createTokens ({ verify, findOwner }: { verify: VerifyToken, findOwner: FindOwner }) {
  return {
    /**
     * The principal of a token, with its registered scopes; undefined for invalid tokens. Throws `unavailable` when the issuer's keys
     * cannot be fetched.
     */
    async authenticate (token: string): Promise<Principal | undefined> {
      const claims = await verify(token)
      const owner = claims && findOwner(claims)
      return owner && { ownerId: owner.id, plan: owner.plan, scopes: registeredScopes(scopeNames(claims)) }
    }
  }
}
export type Tokens = ReturnType<typeof createTokens>
