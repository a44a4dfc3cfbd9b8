/** Verifies access tokens that are JWTs (RFC 9068, and older forms). */
import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'

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
type Deps = { issuer: string, audiences: readonly string[], findKey: JWTVerifyGetKey, now: () => number }

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

export function createTokenVerifier ({ issuer, audiences, findKey, now }: Deps): VerifyToken {
  return async (token) => {
    if (token.length > MAX_LENGTH) return undefined
    try {
      const { protectedHeader, payload } = await jwtVerify(token, findKey, {
        algorithms: ALGORITHMS,
        issuer,
        audience: [...audiences],
        requiredClaims: ['exp'],
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(now())
      })
      if (payload.iat !== undefined && payload.iat > now() / 1000 + TOLERANCE_S) return undefined
      return isBearerAccessToken(protectedHeader.typ?.toLowerCase(), payload) ? payload : undefined
    } catch (error) {
      // jose throws a TypeError for keys that are too weak.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }
}
