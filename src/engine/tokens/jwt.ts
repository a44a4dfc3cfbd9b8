/** Access tokens in the form of JWTs (RFC 9068, and what providers issued before it). */
import { errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyGetKey } from 'jose'

/** Signatures by key pairs only. HMAC is out: with it, an issuer's public key would be a secret that everybody knows. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** Only ID tokens and logout tokens have these. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']
/** How far clocks may be apart. */
const TOLERANCE_S = 30
/** Longer than any provider's tokens; reading more would cost the caller less than us. */
const MAX_LENGTH = 16 * 1024

export type Claims = Readonly<JWTPayload>
/** The claims of a token that is valid here and now; undefined for all others, whatever is wrong. Throws `unavailable` when that cannot be told. */
export type VerifyToken = (token: string) => Promise<Claims | undefined>

/** `audiences`: a token is meant for one of them. */
type Deps = { issuer: string, audiences: readonly string[], findKey: JWTVerifyGetKey, now: () => number }

/**
 * False for tokens of the same issuer that are no access tokens, or are bound to a proof that a bearer does not bring. Providers older than RFC
 * 9068 write `JWT` for a type, or nothing; of these, some say in a claim what a token is (Keycloak, Cognito), and the others are told by what
 * only ID tokens hold.
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
        algorithms: ALGORITHMS, issuer, audience: [...audiences], requiredClaims: ['exp'], clockTolerance: TOLERANCE_S, currentDate: new Date(now())
      })
      if (payload.iat !== undefined && payload.iat > now() / 1000 + TOLERANCE_S) return undefined
      return isBearerAccessToken(protectedHeader.typ?.toLowerCase(), payload) ? payload : undefined
    } catch (error) {
      // A TypeError is jose's answer to keys that are too weak.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }
}
