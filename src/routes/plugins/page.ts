/** Sends the page that people open: its files, and index.html for every address that only the page knows. */
import type { FastifyRequest } from 'fastify'
import { matchesEtag } from '../../domain/byte-range.js'
import { INDEX, isPageAddress } from '../../domain/page-file.js'
import type { PageFile } from '../../domain/page-file.js'
import { isSafeMethod } from './cross-site.js'

/** Only our own files, no inline scripts and styles, no other origin, no frames around it. */
const PAGE_CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; " +
  "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const HEADERS = {
  'content-security-policy': PAGE_CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin'
}

const NOT_BUILT = 'The page is not built. Build it with: npm run build. The HTTP interface works; its reference is at /docs.\n'

type Files = { find (path: string): Promise<PageFile | undefined> }

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? ''
/** File names in /assets/ contain a hash of the content. */
const isAsset = (path: string): boolean => path.startsWith('/assets/')
const acceptsHtml = ({ headers }: FastifyRequest): boolean => /\btext\/html\b|\bapplication\/xhtml\+xml\b/.test(headers.accept ?? '')
const acceptsGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/.test(headers['accept-encoding']?.toString() ?? '')

/** A reply: Fastify leaves the body out for HEAD. */
export type PageReply = { status: number, headers: Readonly<Record<string, string>>, body: Buffer | string }

function toReply (file: PageFile, request: FastifyRequest): PageReply {
  const gzip = acceptsGzip(request) ? file.gzip : undefined
  const etag = `"${file.etag}${gzip ? '-gzip' : ''}"`
  const cacheControl = isAsset(pathOf(request)) ? 'public, max-age=31536000, immutable' : 'no-cache'
  const headers = { ...HEADERS, etag, 'cache-control': cacheControl, vary: 'accept-encoding' }
  if (matchesEtag(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' }
  const content = { 'content-type': file.contentType, ...(gzip ? { 'content-encoding': 'gzip' } : {}) }
  return { status: 200, headers: { ...headers, ...content }, body: gzip ?? file.bytes }
}

const notBuilt = (): PageReply => ({
  status: 404,
  headers: { ...HEADERS, 'cache-control': 'no-store', 'content-type': 'text/plain; charset=utf-8' },
  body: NOT_BUILT
})

export function createPage (files: Files) {
  return {
    /** True if the page may answer a request that no route answers. */
    isAddress: (request: FastifyRequest): boolean => {
      const path = pathOf(request)
      return isSafeMethod(request.method) && (isAsset(path) || isPageAddress(path))
    },
    /** Undefined when the page has no answer either. */
    async answer (request: FastifyRequest): Promise<PageReply | undefined> {
      const path = pathOf(request)
      const wantsPage = acceptsHtml(request) && !isAsset(path)
      const file = await files.find(path) ?? (wantsPage || path === '/' ? await files.find(INDEX) : undefined)
      if (file) return toReply(file, request)
      return wantsPage ? notBuilt() : undefined
    }
  }
}
export type Page = ReturnType<typeof createPage>
