/** Which network addresses may be reached: public ones, and those an administrator allows. */
import ipaddr from 'ipaddr.js'

/** What a connection is for. Each purpose has its own allow list. */
export type Purpose = 'sources' | 'webhooks' | 'oauth' | 'models'

type Address = ipaddr.IPv4 | ipaddr.IPv6
/** An address and the length of its prefix in bits. */
export type Range = readonly [Address, number]
/** Has exactly one of `range`, `name` and `suffix`. Without a port, every usual port is allowed. */
type AllowEntry = Readonly<{ range?: Range, name?: string, suffix?: string, port?: number }>
export type AllowList = readonly AllowEntry[]
export type AllowLists = Readonly<Record<Purpose, AllowList>>

/** A host, spelled as in a parsed URL, and the port to connect to. */
export type Target = Readonly<{ host: string, port: number }>

/** Addresses that stand for no single host. No allow list opens them. */
const NO_HOST = new Set(['unspecified', 'multicast', 'broadcast'])
/** Azure's platform address: a public number that reaches a service inside the cloud, as 169.254.169.254 does elsewhere. */
const PLATFORM_ADDRESS = '168.63.129.16'
/** The only IPv6 range assigned to public hosts so far. ::/96, with old embedded IPv4 addresses, lies outside it. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
/** The last label must begin with a letter: a name that ends in a number is an IP address in an unusual spelling. */
const NAME = new RegExp(`^(?:${LABEL}\\.)*(?=[a-z])${LABEL}$`)

/** True for addresses in canonical notation, IPv6 without brackets. False for link-scoped addresses (`%eth0`). */
function isAddress (text: string): boolean {
  // ipaddr.js reads the old ::1.2.3.4 as ::ffff:1.2.3.4, which is a different address.
  if (text.includes('%') || /^::\d+\./.test(text)) return false
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}

/** Parses an address. IPv4 inside IPv6 becomes IPv4. */
export const parseAddress = (text: string): Address | undefined => isAddress(text) ? ipaddr.process(text) : undefined

const isPublic = (address: Address): boolean => address.range() === 'unicast' &&
  (address instanceof ipaddr.IPv4 ? address.toString() !== PLATFORM_ADDRESS : address.match(GLOBAL_UNICAST))

/** True when the address is reachable from the whole internet. */
export function isPublicAddress (text: string): boolean {
  const address = parseAddress(text)
  return address !== undefined && isPublic(address)
}

/** Most ports below 1024 belong to mail, shells and name servers, which must not receive HTTP requests. */
const isUsualPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024

/** Clouds serve credentials at link-local addresses. An allowed name does not open these, because somebody else may control its DNS. */
const opensByName = (address: Address): boolean => address.range() !== 'linkLocal' && address.toString() !== PLATFORM_ADDRESS

export const isInRange = ([base, bits]: Range, address: Address): boolean => base.kind() === address.kind() && address.match([base, bits])

function matches (entry: AllowEntry, host: string, address: Address): boolean {
  if (entry.range) return isInRange(entry.range, address)
  if (!opensByName(address)) return false
  return entry.name === host || (entry.suffix !== undefined && host.endsWith(entry.suffix))
}

/** True when `target` may be reached at `address`, one of the addresses its host resolves to. */
export function mayReach (allow: AllowList, { host, port }: Target, address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined || NO_HOST.has(parsed.range())) return false
  const name = host.toLowerCase().replace(/\.$/, '')
  const entries = allow.filter((entry) => matches(entry, name, parsed))
  if (entries.some((entry) => entry.port === port)) return true
  return isUsualPort(port) && (isPublic(parsed) || entries.some((entry) => entry.port === undefined))
}

/** Parses an address or a CIDR range. */
export function parseRange (text: string): Range | undefined {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = isAddress(base) ? ipaddr.parse(base) : undefined
  if (address === undefined) return undefined
  const longest = address.kind() === 'ipv4' ? 32 : 128
  return Number(bits ?? longest) <= longest ? [address, Number(bits ?? longest)] : undefined
}

/** Parses an address, a CIDR range, a name or `*.suffix`, each with an optional port. Undefined for anything else. */
export function parseAllowEntry (text: string): AllowEntry | undefined {
  // Text with more than one colon is IPv6 without a port. With a port, IPv6 needs brackets.
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+|[^[]*:.*:[^\]]*))(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  const ofPort = port === undefined ? {} : { port }
  const range = parseRange(bracketed ?? plain ?? '')
  if (range) return bracketed !== undefined && range[0].kind() === 'ipv4' ? undefined : { range, ...ofPort }
  const name = plain?.replace(/^\*\./, '')
  if (plain === undefined || name === undefined || !NAME.test(name)) return undefined
  return plain === name ? { name, ...ofPort } : { suffix: `.${name}`, ...ofPort }
}

/** False for names that are too long for the name service (RFC 1035 section 2.3.4). */
export const isHostName = (host: string): boolean => host.length <= 253 && host.split('.').every((label) => label.length <= 63)

/** Entries for the hosts of these URLs, each with the URL's own port and with the usual ports. */
export function allowHostsOf (urls: readonly URL[]): AllowList {
  return urls.flatMap(({ hostname, host }) => [hostname, host].map(parseAllowEntry).filter((entry) => entry !== undefined))
}
