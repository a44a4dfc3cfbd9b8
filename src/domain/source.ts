/** URLs of recordings: which URLs are accepted, what kind of file a reply is, and how the recording is named. */
import { isHostName } from './addresses.js'
import { AppError } from './errors.js'
import { toRecordingName, UNNAMED } from './recording-name.js'
import type { RecordingName } from './recording-name.js'

const MAX_URL_LENGTH = 4096
/** The number of first bytes that `sniffKind` needs. */
export const HEAD_BYTES = 4096

/** Query parameters that hold secrets on any site: signatures of storage services, tokens, passwords. */
export const SECRET_PARAMETERS: readonly string[] = [
  'x-amz-.*', 'x-goog-.*', 'awsaccesskeyid', 'googleaccessid', 'key-pair-id', 'policy', 'signature', 'sig', 'se', 'sp', 'sv', 'sr',
  'hdnts', 'hdnea', 'auth.*', '.*token.*', '.*secret.*', '.*password.*', 'pass', 'pwd', '.*api_?key', 'key', 'code', 'jwt', 'session.*',
  'sid'
]
const SECRET_PARAMETER = new RegExp(`^(${SECRET_PARAMETERS.join('|')})$`, 'i')

/** What a reply is. `live`: a stream without an end. */
export type SourceKind = 'media' | 'page' | 'feed' | 'manifest' | 'live'

/** Facts about a recording from its source. `publishedAt`: in ms since 1970. */
export type SourceFacts = { title: RecordingName | undefined, publishedAt: number | undefined }

/** Throws `invalid_request` naming `field` for a host name that is too long for the name service. */
export function requireHostName (hostname: string, field: string): void {
  if (isHostName(hostname)) return
  throw new AppError('invalid_request', `${field}: the host name must have at most 253 characters, and 63 between two dots.`)
}

/** Parses an http or https URL and removes its fragment. Throws `invalid_request` naming `field`. */
export function parseSourceUrl (text: string, field: string): string {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new AppError('invalid_request', `${field}: must be an http or https address of at most ${MAX_URL_LENGTH} characters.`)
  }
  requireHostName(url.hostname, field)
  // yt-dlp reads options from some fragments. No server ever sees a fragment.
  url.hash = ''
  return url.href
}

/** The URL to show and export: without user name, password and secret parameters. */
export function toShownUrl (address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  for (const name of [...url.searchParams.keys()]) if (SECRET_PARAMETER.test(name)) url.searchParams.delete(name)
  return url.href
}

/** A text that may be the URL of a recording, such as a filter, as `toShownUrl` shows it. */
export function toShownSource (text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  url.hash = ''
  return toShownUrl(url.href)
}

/** Adds the user name and password of `lender` to a URL of the same server that has none. */
export function lendCredentials (address: string, lender: string): string {
  const [url, { origin, username, password }] = [new URL(address), new URL(lender)]
  if (url.origin !== origin || url.username !== '' || url.password !== '') return address
  return Object.assign(url, { username, password }).href
}

function decode (text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The last part of the path, else the host. */
export function nameFromUrl (address: string): RecordingName {
  const { pathname, hostname } = new URL(address)
  const last = pathname.split('/').filter((part) => part !== '').at(-1)
  return toRecordingName(decode(last ?? '')) ?? toRecordingName(hostname) ?? UNNAMED
}

/** The file name a server gives with `Content-Disposition`, the extended form first. */
export function nameFromDisposition (header: string | undefined): RecordingName | undefined {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header ?? '')?.[1]
  const [, quoted, plain] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? []
  const name = extended === undefined ? quoted?.replace(/\\(.)/g, '$1') ?? plain : decode(extended)
  return toRecordingName(name?.split(/[\\/]/).at(-1))
}

const ROOTS: Readonly<Record<string, SourceKind>> = { rss: 'feed', feed: 'feed', 'rdf:rdf': 'feed', mpd: 'manifest' }

/** The kind of a reply, from its first bytes. Content types are often wrong, so they decide only for plain text. */
export function sniffKind (head: Uint8Array, headers: Readonly<Record<string, string | undefined>>): SourceKind {
  const hasLength = headers['content-length'] !== undefined || headers['content-range'] !== undefined
  if (!hasLength && Object.keys(headers).some((name) => name.startsWith('icy-'))) return 'live'
  const text = Buffer.from(head).toString('utf8').replace(/^\ufeff/, '').trimStart()
  if (text.startsWith('#EXTM3U')) return 'manifest'
  // The first bytes of every media container include a zero byte; text has none.
  if (text.includes('\0') || !text.startsWith('<')) return isHtml(headers) && isText(text) ? 'page' : 'media'
  const root = /<(rss|feed|rdf:rdf|mpd|html|head|body)[\s>]/i.exec(text)?.[1]?.toLowerCase() ?? ''
  return ROOTS[root] ?? 'page'
}

export const isHtml = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  /^(text\/html|application\/xhtml\+xml)/i.test(headers['content-type'] ?? '')
const isText = (text: string): boolean => !/[\p{Cc}\ufffd]/u.test(text.slice(0, 500).replace(/\s/g, ''))
