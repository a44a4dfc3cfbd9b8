/** Every connection to the outside goes through here: addresses are checked before it is made. */
import { isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isHostName, mayReach } from '../../domain/addresses.js'
import type { AllowLists, Purpose, Target } from '../../domain/addresses.js'
import { FetchError } from '../../domain/fetch-error.js'
import { wrapFetchError } from './errors.js'
import { lookUpName } from './names.js'
import type { Lookup, ResolvedAddress } from './names.js'

const CONNECT_MS = 10_000

/** Name and password of an address as a header. */
export function toBasicAuth (url: URL): { authorization?: string } {
  if (url.username === '' && url.password === '') return {}
  const decode = (text: string): string => { try { return decodeURIComponent(text) } catch { return text } }
  return { authorization: `Basic ${Buffer.from(`${decode(url.username)}:${decode(url.password)}`).toString('base64')}` }
}

export type GuardDeps = {
  allow: AllowLists
  offline: boolean
  lookup?: Lookup
  /** Limit for the connection with TLS. Lookups have one of their own; see names.ts. */
  connectMs?: number
}

/** A lookup that returns only the addresses that were checked, so that the name is not resolved a second time. */
function pinTo (addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
}

/** An http or https address, or undefined. */
export function readUrl (text: string, base?: URL): URL | undefined {
  // URL parsers drop line breaks and turn backslashes around silently, so nobody knows what was meant.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(text) || !URL.canParse(text, base?.href)) return undefined
  const url = new URL(text, base)
  return /^https?:$/.test(url.protocol) && url.port !== '0' && isHostName(url.hostname) ? url : undefined
}

/** Throws `FetchError` with `invalid_url` for anything but http and https. */
export function parseUrl (text: string, purpose: Purpose): URL {
  const url = readUrl(text)
  if (url === undefined) throw new FetchError('invalid_url', purpose)
  return url
}

export const targetOf = (url: URL): Target => ({ host: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) })

export function createGuard ({ allow, offline, lookup = lookUpName, connectMs = CONNECT_MS }: GuardDeps) {
  /** All addresses of a target, if it may be reached at each of them. Throws `FetchError`. */
  async function resolve (purpose: Purpose, target: Target): Promise<ResolvedAddress[]> {
    if (offline) throw new FetchError('offline', purpose)
    const host = target.host.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const addresses = family > 0
      ? [{ address: host, family }]
      : await lookup(host).catch((error: unknown) => { throw wrapFetchError(error, purpose, target.host) })
    if (addresses.length === 0) throw new FetchError('unreachable', purpose)
    // One bad address among good ones is an attack, or a mistake that would show only sometimes.
    const isAllowed = addresses.every(({ address }) => mayReach(allow[purpose], { host, port: target.port }, address))
    if (!isAllowed) throw new FetchError('blocked', purpose, undefined, target.host)
    return addresses
  }

  /** Connects for undici. A connector of ours, because undici's option `lookup` is never called for hosts that are addresses. */
  function createConnector (purpose: Purpose): buildConnector.connector {
    return (options, callback) => {
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
      resolve(purpose, { host: options.hostname, port }).then((addresses) => {
        buildConnector({ allowH2: false, maxCachedSessions: 0, timeout: connectMs, lookup: pinTo(addresses) })(options, callback)
      }).catch((error: unknown) => { callback(error as Error, null) })
    }
  }

  return {
    resolve,
    createConnector,
    createAgent: (purpose: Purpose): Agent => new Agent({ connect: createConnector(purpose), allowH2: false }),
    /** A bare connection. Throws `FetchError`. */
    async connect (purpose: Purpose, { host, port }: Target): Promise<Socket> {
      const hostname = host.replace(/^\[|\]$/g, '')
      return await new Promise((resolve, reject) => {
        createConnector(purpose)({ protocol: 'http:', hostname, port: String(port) }, (error, socket) => {
          if (error) reject(wrapFetchError(error, purpose))
          else resolve(socket)
        })
      })
    }
  }
}
export type Guard = ReturnType<typeof createGuard>
