/** Verifies tokens that are JWTs: access tokens (RFC 9068, and older forms), and ID tokens of OpenID Connect. */
import { errors, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { MAX_SUBJECT_LENGTH } from '../../domain/identity.js'
import type { FindKey } from './jwks.js'

/** Signatures with key pairs only. HMAC is excluded: an issuer's public key would then be a secret that everyone knows. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** Claims that only ID tokens and logout tokens have. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** Tolerated difference between clocks. */
const TOLERANCE_S = 30
/** Longer than any provider's tokens. Longer ones are refused unread, because parsing them would cost us more than the sender. */
const MAX_LENGTH = 16 * 1024

export type Claims = Readonly<JWTPayload>
/** Returns the claims of a valid token; undefined for all others, whatever is wrong. Throws `unavailable` when that cannot be decided. */
export type VerifyToken = (token: string) => Promise<Claims | undefined>

/** `audiences`: a token must name one of them. */
type Deps = { issuer: string, audiences: readonly string[], findKey: FindKey, now: () => number }

/**
 * False for tokens of the same issuer that are not access tokens, or that need a proof of possession. Providers older than RFC 9068 give
 * `JWT` or no type. Some of them name the kind of token in a claim (Keycloak, Cognito); for the others, claims that only ID tokens have
 * decide.
 */
function isBearerAccessToken (type: string | undefined, claims: JWTPayload): boolean {
  if (claims['cnf'] !== undefined) return false
  if (type === 'at+jwt' || type === 'application/at+jwt') return true
  if (type !== undefined && type !== 'jwt') return false
  if (claims['typ'] !== undefined) return claims['typ'] === 'Bearer'
  if (claims['token_use'] !== undefined) return claims['token_use'] === 'access'
  return FOREIGN_CLAIMS.every((name) => claims[name] === undefined)
}

type Checks = Deps & { requiredClaims: string[] }

/** The type and the claims of a token that is signed by the issuer, meant for us, and in its time; undefined for all others. */
async function readToken (
  token: string, { issuer, audiences, findKey, now, requiredClaims }: Checks
): Promise<{ type: string | undefined, claims: JWTPayload } | undefined> {
  if (token.length > MAX_LENGTH) return undefined
  try {
    const { protectedHeader, payload } = await jwtVerify(token, findKey, {
      algorithms: ALGORITHMS,
      issuer,
      audience: [...audiences],
      requiredClaims,
      clockTolerance: TOLERANCE_S,
      currentDate: new Date(now())
    })
    if (payload.iat !== undefined && payload.iat > now() / 1000 + TOLERANCE_S) return undefined
    return { type: protectedHeader.typ?.toLowerCase(), claims: payload }
  } catch (error) {
    // jose throws a TypeError for keys that are too weak.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

export function createTokenVerifier (deps: Deps): VerifyToken {
  return async (token) => {
    const read = await readToken(token, { ...deps, requiredClaims: ['exp'] })
    return read && isBearerAccessToken(read.type, read.claims) ? read.claims : undefined
  }
}

/** Claims of an ID token, which always name somebody. */
export type IdClaims = Claims & { readonly sub: string }
/** Returns the claims of an ID token that answers the request with this nonce; undefined for all others. Throws `unavailable`. */
export type VerifyIdToken = (token: string, nonce: string) => Promise<IdClaims | undefined>

/** OpenID Connect Core, section 3.1.3.7: a token that others may use too must say that it was made for us. */
function isAuthorizedFor (clientId: string, { aud, azp }: JWTPayload): boolean {
  return azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId
}

export function createIdTokenVerifier ({ clientId, ...deps }: Omit<Deps, 'audiences'> & { clientId: string }): VerifyIdToken {
  return async (token, nonce) => {
    const read = await readToken(token, { ...deps, audiences: [clientId], requiredClaims: ['exp', 'iat', 'sub', 'nonce'] })
    if (!read || (read.type !== undefined && read.type !== 'jwt')) return undefined
    const { claims } = read
    const { sub } = claims
    if (claims['nonce'] !== nonce || !isAuthorizedFor(clientId, claims)) return undefined
    return typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_LENGTH ? { ...claims, sub } : undefined
  }
}
