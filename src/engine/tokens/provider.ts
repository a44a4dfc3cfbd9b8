/** The identity provider as a place where people sign in: OpenID Connect, authorization code flow with PKCE. */
import { AppError } from '../../domain/errors.js'
import { FetchError } from '../../domain/fetch-error.js'
import type { Log } from '../../domain/log.js'
import type { Fetcher } from '../http/fetcher.js'
import { createIssuer } from './issuer.js'
import type { JsonObject } from './issuer.js'
import type { FindKey } from './jwks.js'
import { createIdTokenVerifier } from './jwt.js'
import type { IdClaims } from './jwt.js'

/** Metadata is read again after this time. */
const FRESH_MS = 10 * 60_000
/** Minimum time between attempts to read it. Anybody can ask for one. */
const SPACING_MS = 2000
/** Errors of RFC 6749 that only the administrator can correct. */
const OUR_FAULTS = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type'])

type Deps = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Where the provider sends people back to. */
  redirectUri: string
  /** The scopes to ask for, with spaces between them. */
  scopes: string
  /** The keys of the issuer. */
  findKey: FindKey
  fetcher: Pick<Fetcher, 'request'>
  now: () => number
  log: Log
}
type Endpoints = { authorization: string, token: string, isSecretInForm: boolean }

const DOWN = 'The identity provider does not answer. Try again later, or sign in with your password.'
const REFUSES_US = 'The identity provider does not accept this appliance. The administrator finds the reason in the log.'

/** RFC 6749 section 2.3.1 encodes client ids and secrets like this before they are joined by a colon. */
const encode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** The code of an error answer, for the log: it may hold any text. */
function errorCodeOf (value: JsonObject | undefined): string {
  const code = value?.['error']
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'unknown'
}

/** RFC 8414: without a list, only `client_secret_basic` is certain. */
function isSecretInForm ({ token_endpoint_auth_methods_supported: methods }: JsonObject): boolean {
  return Array.isArray(methods) && !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
}

export function createProvider (deps: Deps) {
  const { issuer, clientId, clientSecret, redirectUri, scopes, findKey, fetcher, now, log } = deps
  const documents = createIssuer({ issuer, fetcher })
  const verify = createIdTokenVerifier({ issuer, clientId, findKey, now })
  let known: { endpoints: Endpoints, at: number } | undefined
  let triedAt = -Infinity
  let reading: Promise<void> | undefined

  function failure (error: unknown, what: string): AppError {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ reason, ...(error instanceof FetchError ? { code: error.code } : {}) }, what)
    return new AppError('unavailable', DOWN, { cause: error, headers: { 'retry-after': '30' } })
  }

  async function read (): Promise<void> {
    try {
      const metadata = await documents.readMetadata()
      const authorization = documents.addressIn(metadata, 'authorization_endpoint')
      // Browsers are sent to this address.
      if (!URL.canParse(authorization) || !/^https?:$/.test(new URL(authorization).protocol)) {
        throw new Error('the authorization_endpoint is not an http or https address')
      }
      const token = documents.addressIn(metadata, 'token_endpoint')
      known = { endpoints: { authorization, token, isSecretInForm: isSecretInForm(metadata) }, at: now() }
    } catch (error) {
      known = undefined
      throw failure(error, 'the metadata of the identity provider could not be used')
    }
  }

  /** Time since a moment; infinite after the clock was set back. */
  const since = (at: number): number => now() >= at ? now() - at : Infinity

  /** Concurrent callers share one attempt. Throws `unavailable`. */
  async function findEndpoints (): Promise<Endpoints> {
    if (known && since(known.at) < FRESH_MS) return known.endpoints
    if (!reading && since(triedAt) >= SPACING_MS) {
      triedAt = now()
      reading = read().finally(() => { reading = undefined })
    }
    await reading
    if (!known) throw new AppError('unavailable', DOWN, { headers: { 'retry-after': '30' } })
    return known.endpoints
  }

  async function redeem (code: string, verifier: string): Promise<{ status: number, value: JsonObject | undefined }> {
    const { token, isSecretInForm: isInForm } = await findEndpoints()
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })
    if (isInForm) {
      form.set('client_id', clientId)
      form.set('client_secret', clientSecret)
    }
    const basic = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')
    try {
      return await documents.post(token, form, isInForm ? {} : { authorization: `Basic ${basic}` })
    } catch (error) {
      throw failure(error, 'the identity provider did not answer to a code')
    }
  }

  /** The ID token for a code; undefined when the provider refuses the code. Throws `unavailable`. */
  async function exchange (code: string, verifier: string): Promise<string | undefined> {
    const { status, value } = await redeem(code, verifier)
    const token = value?.['id_token']
    if (status === 200) return typeof token === 'string' ? token : undefined
    const error = errorCodeOf(value)
    if (OUR_FAULTS.has(error)) {
      log.error({ status, error }, 'the identity provider does not accept this appliance; check STENOBOX_OAUTH_CLIENT_ID and its secret')
      throw new AppError('unavailable', REFUSES_US)
    }
    // Only these two say that the code is at fault.
    if (status !== 400 && status !== 401) throw failure(new Error(`status ${status}`), 'the identity provider did not answer to a code')
    log.warn({ status, error }, 'the identity provider refused a code')
    return undefined
  }

  return {
    /** Where a browser goes to sign in. `challenge`: the SHA-256 of the verifier, in base64url. Throws `unavailable`. */
    async addressOf ({ state, nonce, challenge }: { state: string, nonce: string, challenge: string }): Promise<string> {
      const url = new URL((await findEndpoints()).authorization)
      const parameters = {
        response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: scopes, state, nonce,
        code_challenge: challenge, code_challenge_method: 'S256'
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },
    /** Who has signed in there; undefined when the provider does not confirm it. Throws `unavailable`. */
    async identify ({ code, verifier, nonce }: { code: string, verifier: string, nonce: string }): Promise<IdClaims | undefined> {
      const token = await exchange(code, verifier)
      if (token === undefined) return undefined
      try {
        return await verify(token, nonce)
      } catch (error) {
        // The message of the key store is about access tokens. Here it must be about signing in.
        throw error instanceof AppError && error.code === 'unavailable' ? failure(error, 'an ID token could not be checked') : error
      }
    }
  }
}
export type Provider = ReturnType<typeof createProvider>
