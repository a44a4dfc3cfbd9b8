/** URLs of models: mirrors, redirects, and removing secrets before a URL is shown. */

/** The only host that a mirror replaces. */
const HUB_ORIGIN = 'https://huggingface.co'

/** The hub's record of a large file: its SHA-256 and size. */
export type LinkedRecord = { sha256: string, bytes?: number }

/** The address to request when `mirror` replaces the hub: the mirror's scheme, host and leading path, then the hub's path. */
export function applyMirror (address: string, mirror: string | undefined): URL {
  const url = new URL(address)
  if (mirror === undefined || url.origin !== HUB_ORIGIN) return url
  const target = new URL(mirror)
  target.pathname = target.pathname.replace(/\/+$/, '') + url.pathname
  if (target.search === '') target.search = url.search
  return target
}

/** An address that is safe to show and store: no user, password, query or fragment, which may hold keys. */
export function withoutSecrets (url: URL): string {
  return url.origin + url.pathname
}

/**
 * True for every name and IPv4 address of this machine, and for [::1]: nothing between it and us can read what is sent. Addresses that
 * clients of OAuth may use are fewer; see `isLoopbackName` in oauth.ts.
 */
export function isThisMachine (hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** True when a redirect may be followed: to http and https only, and from https to http only on this machine. */
export function mayRedirect (from: URL, to: URL): boolean {
  if (to.protocol === 'https:') return true
  return to.protocol === 'http:' && (from.protocol === 'http:' || isThisMachine(to.hostname))
}

/** Parses the hub's record of a file from the headers `x-linked-etag` and `x-linked-size`. Undefined when they hold none. */
export function parseLinkedRecord (etag: string | undefined, size: string | undefined): LinkedRecord | undefined {
  const sha256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(etag ?? '')?.[1]?.toLowerCase()
  if (sha256 === undefined) return undefined
  return /^\d{1,15}$/.test(size ?? '') ? { sha256, bytes: Number(size) } : { sha256 }
}

/** Parses `bytes 100-199/200`. Undefined for anything else. */
export function parseContentRange (text: string | undefined): { start: number, total: number | undefined } | undefined {
  const [, start, total] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/i.exec(text ?? '') ?? []
  if (start === undefined) return undefined
  return { start: Number(start), total: total === '*' ? undefined : Number(total) }
}
