/** Which network addresses may be reached: those of the public internet, and those an administrator allows. */
import ipaddr from 'ipaddr.js'

/** What something is reached for; each has an allow list of its own. */
export type Purpose = 'sources' | 'webhooks' | 'oauth' | 'models'

type Address = ipaddr.IPv4 | ipaddr.IPv6
/** One of `range`, `name` and `suffix`. Without a port, every usual one is meant. */
type AllowEntry = Readonly<{ range?: [Address, number], name?: string, suffix?: string, port?: number }>
export type AllowList = readonly AllowEntry[]
export type AllowLists = Readonly<Record<Purpose, AllowList>>

/** A host as a parsed URL spells it, and the port that is meant. */
export type Target = Readonly<{ host: string, port: number }>

/** Addresses that stand for no single host; nothing opens them. */
const NO_HOST = new Set(['unspecified', 'multicast', 'broadcast'])
/** Public by number, but answers every virtual machine of one cloud from inside, as 169.254.169.254 does elsewhere. */
const PLATFORM_ADDRESS = '168.63.129.16'
/** All that is given out to hosts so far; ::/96, where old IPv4 addresses are embedded, lies outside. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
/** The last label holds a letter first: what ends in a number is an address in one of its odd spellings. */
const NAME = new RegExp(`^(?:${LABEL}\\.)*(?=[a-z])${LABEL}$`)

/** True for addresses in canonical notation, IPv6 without brackets; not for those of a single link (`%eth0`). */
function isAddress (text: string): boolean {
  // ipaddr.js takes the old ::1.2.3.4 for ::ffff:1.2.3.4, which is another address.
  if (text.includes('%') || /^::\d+\./.test(text)) return false
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}

/** An address, where IPv4 inside IPv6 counts as IPv4. */
const parseAddress = (text: string): Address | undefined => isAddress(text) ? ipaddr.process(text) : undefined

const isPublic = (address: Address): boolean => address.range() === 'unicast' &&
  (address instanceof ipaddr.IPv4 ? address.toString() !== PLATFORM_ADDRESS : address.match(GLOBAL_UNICAST))

/** True when anyone on the internet could reach it as well. */
export function isPublicAddress (text: string): boolean {
  const address = parseAddress(text)
  return address !== undefined && isPublic(address)
}

/** Below 1024 are mail, shells and name servers, which must not be spoken to in HTTP. */
const isUsualPort = (port: number): boolean => port === 80 || port === 443 || port >= 1024

/** Clouds keep credentials at link-local addresses: a name, which others may control, does not open those. */
const opensByName = (address: Address): boolean => address.range() !== 'linkLocal' && address.toString() !== PLATFORM_ADDRESS

function matches (entry: AllowEntry, host: string, address: Address): boolean {
  if (entry.range) return entry.range[0].kind() === address.kind() && address.match(entry.range)
  if (!opensByName(address)) return false
  return entry.name === host || (entry.suffix !== undefined && host.endsWith(entry.suffix))
}

/** True when `target` may be reached at `address`, which is what its host stands for. */
export function mayReach (allow: AllowList, { host, port }: Target, address: string): boolean {
  const parsed = parseAddress(address)
  if (parsed === undefined || NO_HOST.has(parsed.range())) return false
  const name = host.toLowerCase().replace(/\.$/, '')
  const entries = allow.filter((entry) => matches(entry, name, parsed))
  if (entries.some((entry) => entry.port === port)) return true
  return isUsualPort(port) && (isPublic(parsed) || entries.some((entry) => entry.port === undefined))
}

function parseRange (text: string): [Address, number] | undefined {
  const [, base = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = isAddress(base) ? ipaddr.parse(base) : undefined
  if (address === undefined) return undefined
  const longest = address.kind() === 'ipv4' ? 32 : 128
  return Number(bits ?? longest) <= longest ? [address, Number(bits ?? longest)] : undefined
}

/** Reads an address, a CIDR range, a name or `*.suffix`, at will with a port; undefined for anything else. */
export function parseAllowEntry (text: string): AllowEntry | undefined {
  // More than one colon is IPv6 without a port; with a port, or at will, it stands in brackets.
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

/** Entries for the hosts of these addresses, each with the port it names and with the usual ones. */
export function allowHostsOf (urls: readonly URL[]): AllowList {
  return urls.flatMap(({ hostname, host }) => [hostname, host].map(parseAllowEntry).filter((entry) => entry !== undefined))
}
