/** Requests that a page of another site makes a browser send. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.js'

const SAFE = new Set(['GET', 'HEAD'])

const REFUSED = 'Pages of other sites may not use this appliance for you. Use its own page. If this is its page, behind a reverse proxy, ' +
  'the administrator must set STENOBOX_PUBLIC_URL to its address.'

/** True for methods that change nothing. */
export const isSafeMethod = (method: string): boolean => SAFE.has(method)

function isOwnOrigin (origin: string, host: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.host === host.toLowerCase() || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin)
}

/**
 * Throws `cross_site_request` for requests from pages of other sites, with or without a cookie. Browsers send Sec-Fetch-Site over https,
 * and over plain http only to this machine; without it, Origin must be ours. Another port of this host is another origin, but SameSite
 * cookies are sent there.
 */
export function requireOwnPage ({ headers, host }: FastifyRequest, publicUrl: string | undefined): void {
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined
    ? headers.origin === undefined || isOwnOrigin(headers.origin, host, publicUrl)
    : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new AppError('cross_site_request', REFUSED)
}

/** Applies `requireOwnPage` to the requests of operations registered on `app` after this call, or to those that change something. */
export function refuseCrossSite (app: FastifyInstance, publicUrl: string | undefined, which: 'all' | 'changes'): void {
  app.addHook('onRequest', async (request) => {
    if (which === 'all' || !isSafeMethod(request.method)) requireOwnPage(request, publicUrl)
  })
}
