/** Requests to an issuer: its metadata, its keys, and forms. All requests to it are made here. */
import type { Fetcher } from '../http/fetcher.js'

/** Short limits, because a caller is waiting. */
const LIMITS = { firstByteMs: 5000, idleMs: 5000, totalMs: 5000, maxBytes: 512 * 1024 }

export type JsonObject = Record<string, unknown>

/** `totalMs`: time for each request. */
type Deps = { issuer: string, fetcher: Pick<Fetcher, 'request'>, totalMs?: number | undefined }

/** Where an issuer publishes its metadata: RFC 8414 puts the well-known part before the path, OpenID Connect Discovery after it. */
export function metadataUrls (issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [`${origin}/.well-known/oauth-authorization-server${path}`, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`]
}

async function readObject (body: AsyncIterable<Buffer>): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as JsonObject : undefined
  } catch {
    return undefined
  }
}

export function createIssuer ({ issuer, fetcher, totalMs = LIMITS.totalMs }: Deps) {
  const shared = { purpose: 'oauth', decode: true, limits: { ...LIMITS, totalMs } } as const

  /** Reads a JSON object from an address; undefined when there is none. Throws `FetchError`. */
  async function readJson (url: string): Promise<JsonObject | undefined> {
    const answer = await fetcher.request({ ...shared, url, headers: { accept: 'application/json' }, maxRedirects: 2 })
    if (answer.status === 200) return await readObject(answer.body)
    answer.discard()
    return undefined
  }

  return {
    readJson,
    /** The metadata. Throws an Error with the reason when there is none, and `FetchError`. */
    async readMetadata (): Promise<JsonObject> {
      for (const url of metadataUrls(issuer)) {
        const metadata = await readJson(url)
        if (!metadata) continue
        // RFC 8414 section 3.3: metadata of another issuer must not be used.
        if (metadata['issuer'] !== issuer) throw new Error('the metadata names a different issuer than STENOBOX_OAUTH_ISSUER')
        return metadata
      }
      throw new Error('the issuer has no metadata at the addresses of RFC 8414 and OpenID Connect Discovery')
    },
    /** An address in the metadata. Throws an Error when it is missing, or less safe than the issuer. */
    addressIn (metadata: JsonObject, name: string): string {
      const address = metadata[name]
      if (typeof address !== 'string') throw new Error(`the metadata has no ${name}`)
      if (issuer.startsWith('https:') && !address.startsWith('https:')) {
        throw new Error(`the metadata of an https issuer has a ${name} without https`)
      }
      return address
    },
    /** Sends a form. It holds secrets, so a redirect is not followed: it is the answer. Throws `FetchError`. */
    async post (
      url: string, form: URLSearchParams, headers: Readonly<Record<string, string>>
    ): Promise<{ status: number, value: JsonObject | undefined }> {
      const answer = await fetcher.request({
        ...shared,
        url,
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: form.toString()
      })
      return { status: answer.status, value: await readObject(answer.body) }
    }
  }
}
