/** An identity provider for tests: its keys change, its metadata may lie, its server can be down. */
import { generateKeyPair, exportJWK, SignJWT } from 'jose'
import type { CryptoKey, JWK, JWTPayload } from 'jose'
import { createServer } from 'node:http'
import type { Test } from 'tap'
import { listen } from './listen.ts'

export type SigningKey = { privateKey: CryptoKey, publicJwk: JWK }

export async function createSigningKey (kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, publicJwk: { ...await exportJWK(publicKey), kid, alg, use: 'sig' } }
}

/** A token of any form; `header` names key, algorithm and type. */
export async function signToken (
  { privateKey, publicJwk: { kid = '', alg = '' } }: SigningKey,
  claims: JWTPayload,
  header: Record<string, unknown> = {}
): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey)
}

/** Serves `pages` by path and 404 for others; `status` replaces all answers when set. */
export async function startIssuer (t: Test) {
  const pages = new Map<string, unknown>()
  const requested: string[] = []
  const state = { status: 200 }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requested.push(path)
    const page = pages.get(path)
    response
      .writeHead(page === undefined ? 404 : state.status, { 'content-type': 'application/json' })
      .end(typeof page === 'string' ? page : JSON.stringify(page ?? {}))
  })
  const address = await listen(t, server)
  return {
    address,
    pages,
    state,
    requested,
    /** Publishes these keys, with metadata of RFC 8414. */
    publish (...keys: SigningKey[]): void {
      pages.set('/.well-known/oauth-authorization-server', { issuer: address, jwks_uri: `${address}/keys` })
      pages.set('/keys', { keys: keys.map(({ publicJwk }) => publicJwk) })
    }
  }
}
