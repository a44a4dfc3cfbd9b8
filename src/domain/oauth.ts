/** Our own authorization server: its clients and their grants. */

import { registeredScopes } from './access.js'
import type { Scope } from './access.js'

/** A program that may ask owners for access. All clients are public: they use PKCE instead of a secret. */
export type OauthClient = {
  id: string
  name: string
  redirectUris: string[]
  /** True when the client registered itself, false when the administrator added it. */
  isDynamic: boolean
  createdAt: number
}

/** The access an owner gave a client. */
export type OauthGrant = {
  id: string
  owner: string
  client: string
  createdAt: number
  expiresAt: number
}

/** A program that may act for an owner, as the owner sees it. */
export type Connection = {
  /** The id of the grant. */
  id: string
  /** As the program registered itself, unchecked. */
  clientName: string
  scopes: Scope[]
  createdAt: number
  /** When it last got a token; absent if never. */
  lastUsedAt?: number
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** True for names of this machine, as a parsed URL spells them (RFC 8252 section 7.3). Any port is allowed. */
export function isLoopbackName (hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname)
}

/**
 * The resource names (RFC 8707) that clients may use for the appliance at `address`: the address itself and its HTTP interface, which is
 * also in the metadata. For a loopback address, clients may use any loopback name, and the metadata then has the name they used.
 */
export function resourceNames (address: string): string[] {
  const { hostname } = new URL(address)
  const addresses = isLoopbackName(hostname) ? [...LOOPBACK_HOSTS].map((host) => address.replace(hostname, host)) : [address]
  return addresses.flatMap((name) => [name, `${name}/`, `${name}/api/v1`, `${name}/api/v1/`])
}

/** Schemes that a browser would not pass on to a program. */
const BROWSER_SCHEMES = new Set(['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:', 'ws:', 'wss:', 'ftp:'])

/** True for addresses that may receive authorization codes: https, http on this machine, or an app's own scheme. */
export function isRedirectUri (text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'http:') return isLoopbackName(hostname)
  if (protocol === 'https:') return !isLoopbackName(hostname)
  return !BROWSER_SCHEMES.has(protocol)
}

/** The scopes of a grant, whose record has them as text for each resource. */
export function grantedScopes (resources: unknown): Scope[] {
  const texts = typeof resources === 'object' && resources !== null ? Object.values(resources) : []
  return [...registeredScopes(texts.flatMap((text) => typeof text === 'string' ? text.split(' ') : []))]
}
