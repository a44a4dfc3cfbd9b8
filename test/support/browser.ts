/** A minimal browser for pages without scripts: cookies by path, single redirects, forms. */
import { strict as assert } from 'node:assert'

type Cookie = { name: string, value: string, path: string, origin: string }
export type Visit = { url: URL, status: number, headers: Headers, body: string }

const unescape = (text: string): string => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

export function createBrowser () {
  let cookies: Cookie[] = []

  function keep (header: string, url: URL): void {
    const [pair = '', ...attributes] = header.split('; ')
    const [name = '', value = ''] = pair.split('=')
    const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
    cookies = cookies.filter((cookie) => cookie.name !== name || cookie.path !== path || cookie.origin !== url.origin)
    if (value !== '') cookies.push({ name, value, path, origin: url.origin })
  }

  /** One request. Redirects are returned, not followed. */
  async function request (url: URL, init: RequestInit = {}): Promise<Visit> {
    const sent = cookies
      .filter((cookie) => cookie.origin === url.origin && url.pathname.startsWith(cookie.path))
      .map(({ name, value }) => `${name}=${value}`)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(sent.length > 0 ? { cookie: sent.join('; ') } : {}), ...init.headers }
    })
    for (const header of response.headers.getSetCookie()) keep(header, url)
    return { url, status: response.status, headers: response.headers, body: await response.text() }
  }

  /** Follows redirects to a page, or to an address that begins with `until`, which is not opened. */
  async function follow (first: Visit, until: string): Promise<Visit> {
    let visit = first
    for (let hops = 0; visit.status >= 300 && visit.status < 400; hops++) {
      assert(hops < 10, 'redirects without end')
      const url = new URL(visit.headers.get('location') ?? '', visit.url)
      if (url.href.startsWith(until)) return { ...visit, url }
      visit = await request(url)
    }
    return visit
  }

  return {
    request,
    open: async (url: URL, until: string): Promise<Visit> => await follow(await request(url), until),
    /** Submits the form of a page, as a button would. */
    submit: async (page: Visit, fields: Record<string, string>, until: string, headers: Record<string, string> = {}): Promise<Visit> => {
      assert(/<form method="post">/.test(page.body), `no form in: ${page.body}`)
      const { origin } = page.url
      const sent = { 'content-type': 'application/x-www-form-urlencoded', origin, 'sec-fetch-site': 'same-origin', ...headers }
      return await follow(await request(page.url, { method: 'POST', headers: sent, body: new URLSearchParams(fields).toString() }), until)
    },
    cookies: (): readonly Cookie[] => cookies,
    textOf: (page: Visit): string => unescape(page.body.replace(/<style>.*<\/style>/s, '').replace(/<[^>]+>/g, ' ')).replace(/\s+/g, ' ')
  }
}
export type Browser = ReturnType<typeof createBrowser>
