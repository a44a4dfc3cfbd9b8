/** Whether a request was made on this machine. */
import { parseAddress } from './addresses.js'
import { isThisMachine } from './model-source.js'

/** Headers that reverse proxies add. With one of them, a request from this machine may be anybody's. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const isLoopback = (address: string): boolean => parseAddress(address)?.range() === 'loopback'

/** True for a host that only this machine can reach: a name or an address, without a port. */
export function isLocalHost (host: string): boolean {
  return isThisMachine(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)
}

/**
 * True when a browser on this machine sent the request directly. `host`: the Host header; a page of another site that has its name point to
 * this machine sends its own name. `peer`: the address of the connection.
 */
export function isLocalRequest (
  { peer, host, headers }: { peer: string, host: string, headers: Readonly<Record<string, unknown>> }
): boolean {
  if (!isLoopback(peer) || FORWARDED.some((name) => headers[name] !== undefined)) return false
  return URL.canParse(`http://${host}`) && isThisMachine(new URL(`http://${host}`).hostname)
}
