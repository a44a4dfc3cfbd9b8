/** OAuth access tokens → who calls, and what they may do. */
import { MAX_NAME_LENGTH, NAME_PATTERN, registeredScopes } from '../domain/access.js'
import type { Owner, Principal } from '../domain/access.js'
import type { Claims, VerifyToken } from '../engine/tokens/jwt.js'
import type { OwnerStore } from '../store/owners.js'

/** Whose token it is; undefined where there is no such owner. */
export type FindOwner = (claims: Claims) => Owner | undefined

const NAME = new RegExp(NAME_PATTERN, 'u')

type ClaimDeps = { owners: Pick<OwnerStore, 'findByName' | 'insert'>, claim: string, create: boolean, now: () => number }

/** Owners by the name that a provider puts into a claim. With `create`, unknown ones come to be. */
export function ownersByClaim ({ owners, claim, create, now }: ClaimDeps): FindOwner {
  return (claims) => {
    const name = claims[claim]
    if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || !NAME.test(name)) return undefined
    const known = owners.findByName(name)
    if (known || !create) return known
    return owners.insert({ name, plan: 'enterprise', now: now() }) ?? owners.findByName(name)
  }
}

/** Owners by the number that our own server puts into `sub`: unlike a name, it never becomes somebody else's. */
export function ownersById (owners: Pick<OwnerStore, 'find'>): FindOwner {
  return ({ sub = '' }) => /^[1-9]\d{0,14}$/.test(sub) ? owners.find(Number(sub)) : undefined
}

/** Names of scopes: text with spaces (RFC 9068) or a list, in `scope` or, as some providers have it, `scp`. */
function scopeNames ({ scope, scp }: Claims): string[] {
  const names = scope ?? scp
  if (typeof names === 'string') return names.split(' ')
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

export function createTokens ({ verify, findOwner }: { verify: VerifyToken, findOwner: FindOwner }) {
  return {
    /**
     * Who holds this token, with the registered scopes among those it was granted; undefined when it opens nothing. Throws `unavailable` when
     * the issuer's keys cannot be had.
     */
    async authenticate (token: string): Promise<Principal | undefined> {
      const claims = await verify(token)
      const owner = claims && findOwner(claims)
      return owner && { ownerId: owner.id, plan: owner.plan, scopes: registeredScopes(scopeNames(claims)) }
    }
  }
}
export type Tokens = ReturnType<typeof createTokens>
