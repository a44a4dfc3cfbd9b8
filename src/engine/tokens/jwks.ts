/** The keys an issuer signs its tokens with: finds, caches and refreshes them. */
import { createLocalJWKSet, errors } from 'jose'
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { AppError } from '../../domain/errors.js'
import { FetchError } from '../../domain/fetch-error.js'
import type { Log } from '../../domain/log.js'
import type { Fetcher } from '../http/fetcher.js'
import { createIssuer } from './issuer.js'

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

/** `totalMs`: time for each of at most three requests. */
type Deps = { issuer: string, fetcher: Pick<Fetcher, 'request'>, now: () => number, log: Log, totalMs?: number }
/** Finds the key that a token was signed with. */
export type FindKey = JWTVerifyGetKey
type Keys = { find: FindKey, fetchedAt: number }

/** A key set with one local key. */
export function createLocalKeys (jwk: Readonly<Record<string, unknown>>): FindKey {
  return createLocalJWKSet({ keys: [jwk] } as unknown as JSONWebKeySet)
}

export function createRemoteKeys ({ issuer, fetcher, now, log, totalMs }: Deps): FindKey {
  const documents = createIssuer({ issuer, fetcher, totalMs })
  let keys: Keys | undefined
  let triedAt = -Infinity
  let isDown = false
  let fetching: Promise<void> | undefined

  async function fetchKeys (): Promise<void> {
    try {
      const set = await documents.readJson(documents.addressIn(await documents.readMetadata(), 'jwks_uri'))
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
  async function findIn ({ find }: Keys, ...[header, token]: Parameters<FindKey>): Promise<Awaited<ReturnType<FindKey>>> {
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
