/** The keys an issuer signs its tokens with: finds, caches and refreshes them. */
import { createLocalJWKSet, errors } from 'jose'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { AppError } from '../../domain/errors.js'
import { FetchError } from '../../domain/fetch-error.js'
import type { Log } from '../../domain/log.js'
import type { Fetcher } from '../http/fetcher.js'

/** Keys are refreshed after this time, so that a withdrawn key does not stay. */
const FRESH_MS = 10 * 60_000
/** Keys stay valid this long after the last success, even when the issuer does not answer. */
const STALE_MS = 24 * 60 * 60_000
/** Minimum time between requests, so that tokens with invented key ids cannot flood the issuer. */
const SPACING_MS = 30_000
/** The same while the issuer does not answer, because callers wait for every attempt. */
const DOWN_SPACING_MS = 5 * 60_000
/** The same while there are no valid keys: nothing works then, and the issuer may just be starting. */
const FIRST_SPACING_MS = 2000
/** Short limits, because a caller is waiting. */
const LIMITS = { firstByteMs: 5000, idleMs: 5000, totalMs: 5000, maxBytes: 512 * 1024 }

/** `totalMs`: time for each of at most three requests. */
type Deps = { issuer: string, fetcher: Pick<Fetcher, 'request'>, now: () => number, log: Log, totalMs?: number }
type Keys = { find: JWTVerifyGetKey, fetchedAt: number }

/** Where an issuer publishes its metadata: RFC 8414 puts the well-known part before the path, OpenID Connect Discovery after it. */
export function metadataUrls (issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [`${origin}/.well-known/oauth-authorization-server${path}`, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`]
}

function isObject (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A key set with one local key. */
export function createLocalKeys (jwk: Readonly<Record<string, unknown>>): JWTVerifyGetKey {
  return createLocalJWKSet({ keys: [jwk] } as unknown as JSONWebKeySet)
}

export function createRemoteKeys ({ issuer, fetcher, now, log, totalMs = LIMITS.totalMs }: Deps): JWTVerifyGetKey {
  let keys: Keys | undefined
  let triedAt = -Infinity
  let isDown = false
  let fetching: Promise<void> | undefined

  /** Reads a JSON object from an address; undefined when there is none. */
  async function readJson (url: string): Promise<Record<string, unknown> | undefined> {
    const answer = await fetcher.request({
      purpose: 'oauth',
      url,
      headers: { accept: 'application/json' },
      maxRedirects: 2,
      decode: true,
      limits: { ...LIMITS, totalMs }
    })
    if (answer.status !== 200) {
      answer.discard()
      return undefined
    }
    const chunks: Buffer[] = []
    for await (const chunk of answer.body) chunks.push(chunk)
    try {
      const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      return isObject(value) ? value : undefined
    } catch {
      return undefined
    }
  }

  async function findKeySetUrl (): Promise<string> {
    for (const url of metadataUrls(issuer)) {
      const metadata = await readJson(url)
      if (!metadata) continue
      // RFC 8414 section 3.3: metadata of another issuer must not be used.
      if (metadata['issuer'] !== issuer) throw new Error('the metadata names a different issuer than STENOBOX_OAUTH_ISSUER')
      const address = metadata['jwks_uri']
      if (typeof address !== 'string') throw new Error('the metadata has no jwks_uri')
      if (issuer.startsWith('https:') && !address.startsWith('https:')) {
        throw new Error('the metadata of an https issuer has a jwks_uri without https')
      }
      return address
    }
    throw new Error('the issuer has no metadata at the addresses of RFC 8414 and OpenID Connect Discovery')
  }

  async function fetchKeys (): Promise<void> {
    try {
      const set = await readJson(await findKeySetUrl())
      if (!Array.isArray(set?.['keys'])) throw new Error('there is no key set at jwks_uri')
      keys = { find: createLocalJWKSet(set as unknown as JSONWebKeySet), fetchedAt: now() }
      isDown = false
    } catch (error) {
      isDown = true
      const reason = error instanceof Error ? error.message : String(error)
      log.warn(
        { reason, ...(error instanceof FetchError ? { code: error.code } : {}) },
        'the keys of the OAuth issuer could not be fetched'
      )
    }
  }

  /** Time since a moment; infinite after the clock was set back, because nobody knows then. */
  const since = (at: number): number => now() >= at ? now() - at : Infinity
  const usable = (): Keys | undefined => keys && since(keys.fetchedAt) < STALE_MS ? keys : undefined

  function spacingMs (): number {
    if (!usable()) return FIRST_SPACING_MS
    return isDown ? DOWN_SPACING_MS : SPACING_MS
  }

  /** Fetches the keys, unless that was just tried. Concurrent callers share one attempt. */
  async function refresh (): Promise<void> {
    if (!fetching && since(triedAt) >= spacingMs()) {
      triedAt = now()
      fetching = fetchKeys().finally(() => { fetching = undefined })
    }
    await fetching
  }

  /** Throws `unavailable` when there are no valid keys. */
  function current (): Keys {
    const valid = usable()
    if (valid) return valid
    throw new AppError(
      'unavailable',
      'The identity provider does not answer, so tokens cannot be checked. Try again later, or use an API key.',
      {
        headers: { 'retry-after': '30' }
      }
    )
  }

  /** Throws `unavailable` for a malformed key of the issuer. */
  async function findIn ({ find }: Keys, ...[header, token]: Parameters<JWTVerifyGetKey>): Promise<Awaited<ReturnType<JWTVerifyGetKey>>> {
    try {
      return await find(header, token)
    } catch (cause) {
      if (cause instanceof errors.JOSEError) throw cause
      throw new AppError(
        'unavailable',
        'The identity provider publishes a key that cannot be read, so tokens cannot be checked. Use an API key.',
        { cause }
      )
    }
  }

  return async (header, token) => {
    if (!keys || since(keys.fetchedAt) >= FRESH_MS) await refresh()
    const before = current()
    try {
      return await findIn(before, header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      // The token was signed with a key newer than ours, or with none of the issuer's.
      await refresh()
      if (current() === before) throw error
      return await findIn(current(), header, token)
    }
  }
}
