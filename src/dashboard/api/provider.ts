/** Sign-in at the identity provider: away from the page, and back to it. */
import { RETURN_PATH } from './agreed.ts'
import { BASE } from './base.ts'
import { api, take } from './client.ts'
import type { Session } from './session.ts'

const PLACE = 'stenobox.errand'

/** Why the browser went to the provider, and the address of the page to show afterwards. */
export type Errand = { purpose: 'signIn' | 'connect', next: string }

/** True for addresses of this page: a link must not lead to another site after sign-in. */
export const isOwnAddress = (text: string): boolean => /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(text)

function isErrand (value: unknown): value is Errand {
  if (typeof value !== 'object' || value === null || !('purpose' in value) || !('next' in value)) return false
  const { purpose, next } = value
  return (purpose === 'signIn' || purpose === 'connect') && typeof next === 'string' && isOwnAddress(next)
}

/** What this tab went to the provider for. */
export function readErrand (): Errand {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null')
    if (isErrand(stored)) return stored
  } catch {
    // Not written by this page: ignored.
  }
  return { purpose: 'signIn', next: '/' }
}

/** Leaves the page for the provider. `password`: of the account that is to be connected. Throws ApiError when that cannot be done now. */
export async function goToProvider (errand: Errand, password?: string): Promise<void> {
  const { data: { url } } = errand.purpose === 'connect'
    ? await take(api.POST('/api/v1/account/provider/begin', { body: password === undefined ? {} : { password } }))
    : await take(api.POST('/api/v1/session/provider/begin'))
  sessionStorage.setItem(PLACE, JSON.stringify(errand))
  location.assign(url)
}

export type Arrival = { code: string, state: string }

/**
 * What the provider sent when it opened this page; undefined: it opened another. Read at once and as text: the router would take a code of
 * digits for a number. Without a code, the provider did not sign anybody in.
 */
export const arrival: Partial<Arrival> | undefined = location.pathname === BASE + RETURN_PATH ? readArrival() : undefined

function readArrival (): Partial<Arrival> | undefined {
  const given = new URLSearchParams(location.search)
  const [code, state] = [given.get('code') ?? '', given.get('state') ?? '']
  if (code !== '' && state !== '') return { code, state }
  return given.has('error') ? {} : undefined
}

/** Hands over what the provider sent. Returns the session that has begun; null when the account that is signed in was connected. */
export async function finishVisit ({ purpose }: Errand, body: Arrival): Promise<Session | null> {
  sessionStorage.removeItem(PLACE)
  if (purpose === 'signIn') return (await take(api.POST('/api/v1/session/provider', { body }))).data
  await take(api.PUT('/api/v1/account/provider', { body }))
  return null
}
