/** The address of a client that is connected through reverse proxies. */
import { isInRange, parseAddress, parseRange } from './addresses.js'
import type { Range } from './addresses.js'

export type Networks = readonly Range[]

/** Parses an address or a CIDR range. Undefined for anything else, and for ranges of all addresses: everybody would be a proxy then. */
export function parseNetwork (text: string): Range | undefined {
  const range = parseRange(text)
  return range && range[1] > 0 ? range : undefined
}

/** True when an address, as a socket or a header names it, lies in one of the networks. */
export function isInNetworks (networks: Networks, text: string): boolean {
  const address = networks.length === 0 ? undefined : parseAddress(text)
  return address !== undefined && networks.some((range) => isInRange(range, address))
}

/** `1.2.3.4`, `1.2.3.4:5678`, `::1`, `[::1]` and `[::1]:5678`, as proxies write them. Undefined for anything else. */
function parseEntry (text: string): string | undefined {
  const [, bracketed, beforePort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  return parseAddress(bracketed ?? beforePort ?? text)?.toString()
}

/**
 * The address of the client. `peer`: of the connection. `forwardedFor`: the header X-Forwarded-For, to which each proxy appends the address
 * that it received the request from. It is read from the end, past the addresses of trusted proxies: what a client itself has sent in the
 * header is never used.
 */
export function clientAddress (peer: string, forwardedFor: string | undefined, trusted: Networks): string {
  let address = peer
  for (const entry of forwardedFor?.split(',').reverse() ?? []) {
    if (!isInNetworks(trusted, address)) return address
    const before = parseEntry(entry.trim())
    if (before === undefined) return address
    address = before
  }
  return address
}
