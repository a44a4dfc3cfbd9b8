/** Our own authorization server: its clients and what owners granted them. */

/** A program that may ask owners for access. All are public clients: they keep no secret, and PKCE stands in for it. */
export type OauthClient = {
  id: string
  name: string
  redirectUris: string[]
  /** Registered by itself, not by the administrator. */
  isDynamic: boolean
  createdAt: number
}

/** What an owner allowed a client. */
export type OauthGrant = {
  id: string
  owner: string
  client: string
  createdAt: number
  expiresAt: number
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** True for hosts, as a parsed URL spells them, that are this machine (RFC 8252 section 7.3); any port is meant. */
export function isLoopbackHost (hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname)
}

/**
 * What clients may call the appliance at `address` (RFC 8707): that, or the address of its interface, under which metadata describes it as well.
 * On this machine they come by any of its names, and metadata then says the one they used.
 */
export function resourceNames (address: string): string[] {
  const { hostname } = new URL(address)
  const addresses = isLoopbackHost(hostname) ? [...LOOPBACK_HOSTS].map((host) => address.replace(hostname, host)) : [address]
  return addresses.flatMap((name) => [name, `${name}/`, `${name}/api/v1`, `${name}/api/v1/`])
}

/** Schemes that a browser would not hand to a program. */
const BROWSER_SCHEMES = new Set(['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:', 'ws:', 'wss:', 'ftp:'])

/** True for addresses that codes may be sent to: https, http on this machine, or a scheme of a program's own. */
export function isRedirectUri (text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'http:') return isLoopbackHost(hostname)
  if (protocol === 'https:') return !isLoopbackHost(hostname)
  return !BROWSER_SCHEMES.has(protocol)
}
