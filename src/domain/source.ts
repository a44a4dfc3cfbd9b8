/** Where a recording is fetched from: which addresses are taken, what an answer is, and what the recording is called. */
import { isHostName } from './addresses.js'
import { AppError } from './errors.js'
import { toRecordingName, UNNAMED } from './recording-name.js'
import type { RecordingName } from './recording-name.js'

const MAX_URL_LENGTH = 4096
/** So much of an answer says what it is. */
export const HEAD_BYTES = 4096

/** Parameters that carry keys, whatever the site: signatures of storage services, tokens, passwords. */
const SECRET_PARAMETER = /^(x-amz-.*|x-goog-.*|awsaccesskeyid|googleaccessid|key-pair-id|policy|signature|sig|se|sp|sv|sr|hdnts|hdnea|auth.*|.*token.*|.*secret.*|.*password.*|pass|pwd|.*api_?key|key|code|jwt|session.*|sid)$/i

/** `live`: a stream without an end. */
export type SourceKind = 'media' | 'page' | 'feed' | 'manifest' | 'live'

/** What is known of a recording from where it came. */
export type SourceFacts = { title: RecordingName | undefined, publishedAt: number | undefined }

/** Throws `invalid_request` naming `field` for a name that no name server can know. */
export function requireHostName (hostname: string, field: string): void {
  if (isHostName(hostname)) return
  throw new AppError('invalid_request', `${field}: the host name must have at most 253 characters, and 63 between two dots.`)
}

/** The address as it is fetched: http or https, without its fragment, which no server ever sees. Throws `invalid_request` naming `field`. */
export function parseSourceUrl (text: string, field: string): string {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new AppError('invalid_request', `${field}: must be an http or https address of at most ${MAX_URL_LENGTH} characters.`)
  }
  requireHostName(url.hostname, field)
  // yt-dlp takes orders from fragments that begin so; nothing else needs any.
  url.hash = ''
  return url.href
}

/** The address as it is shown and exported: without name and password, and without parameters that are keys. */
export function toShownUrl (address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  for (const name of [...url.searchParams.keys()]) if (SECRET_PARAMETER.test(name)) url.searchParams.delete(name)
  return url.href
}

/** The address with the name and password of another, where both are of one server: they count for all of it. */
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

/** What an answer is, by its first bytes; servers are often wrong about the type, so it decides only where the bytes are plain text. */
export function sniffKind (head: Uint8Array, headers: Readonly<Record<string, string | undefined>>): SourceKind {
  const hasLength = headers['content-length'] !== undefined || headers['content-range'] !== undefined
  if (!hasLength && Object.keys(headers).some((name) => name.startsWith('icy-'))) return 'live'
  const text = Buffer.from(head).toString('utf8').replace(/^\ufeff/, '').trimStart()
  if (text.startsWith('#EXTM3U')) return 'manifest'
  // A zero byte is in the first bytes of every container, and in no text.
  if (text.includes('\0') || !text.startsWith('<')) return isHtml(headers) && isText(text) ? 'page' : 'media'
  const root = /<(rss|feed|rdf:rdf|mpd|html|head|body)[\s>]/i.exec(text)?.[1]?.toLowerCase() ?? ''
  return ROOTS[root] ?? 'page'
}

export const isHtml = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  /^(text\/html|application\/xhtml\+xml)/i.test(headers['content-type'] ?? '')
const isText = (text: string): boolean => !/[\p{Cc}\ufffd]/u.test(text.slice(0, 500).replace(/\s/g, ''))
