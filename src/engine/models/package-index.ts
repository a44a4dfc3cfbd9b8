/** Finds the URL of a wheel through a package index's simple API: PEP 691 (JSON), or PEP 503 (HTML) for older indexes. */
import Type from 'typebox'
import { Value } from 'typebox/value'
import { FetchError } from '../../domain/fetch-error.js'
import { ModelError } from '../../domain/model-error.js'
import { withoutSecrets } from '../../domain/model-source.js'
import type { FetchAnswer, Fetcher } from '../http/fetcher.js'
import { describeFetchError } from './fetch-failure.js'

const MAX_PAGE_BYTES = 16 * 1024 * 1024
const ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1'
const MAX_REDIRECTS = 5
/** An index that does not answer within this time is skipped. */
const ANSWER_MS = 10_000
const IDLE_MS = 60_000

const Page = Type.Object({ files: Type.Array(Type.Object({ filename: Type.String(), url: Type.String() })) })
type Link = { name: string, href: string }
type Index = Pick<Fetcher, 'request'>

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&#38;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' }
const unescapeHtml = (text: string): string => text.replace(/&(?:amp|quot|lt|gt|#38|#39);/g, (entity) => ENTITIES[entity] ?? entity)

function parseHtml (text: string): Link[] {
  return [...text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([^<]*)<\/a>/gi)]
    .map(([, first, second, name = '']) => ({ name: unescapeHtml(name).trim(), href: unescapeHtml(first ?? second ?? '') }))
}

function parseJson (text: string, host: string): Link[] {
  try {
    const page: unknown = JSON.parse(text)
    if (Value.Check(Page, page)) return page.files.map(({ filename, url }) => ({ name: filename, href: url }))
  } catch {
    // The same error as for JSON of another form.
  }
  throw new ModelError(`the package index ${host} answers with something other than a list of files`)
}

async function readText ({ body }: FetchAnswer): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Requests a page. Throws `FetchError`, and `ModelError` for a status other than 200. */
async function askPage (fetcher: Index, page: URL, packageName: string): Promise<{ text: string, type: string }> {
  const limits = { totalMs: Infinity, answerMs: ANSWER_MS, firstByteMs: ANSWER_MS, idleMs: IDLE_MS, maxBytes: MAX_PAGE_BYTES }
  const headers = { accept: ACCEPT }
  const answer = await fetcher.request({ purpose: 'models', url: page.href, headers, maxRedirects: MAX_REDIRECTS, limits })
  if (answer.status === 200) return { text: await readText(answer), type: answer.headers['content-type'] ?? '' }
  await answer.discard()
  throw new ModelError(`the package index ${page.host} does not have ${packageName} (status ${answer.status})`)
}

/** A page of the index, with its content type. Requested a second time after a transient error. Throws `ModelError`. */
async function readPage (fetcher: Index, page: URL, packageName: string): Promise<{ text: string, type: string }> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await askPage(fetcher, page, packageName)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      if (error.code === 'too_large') throw new ModelError(`the package index ${page.host} sends too much data for a list of files`)
      if (error.isTransient && isFirst) continue
      throw new ModelError(`the package index cannot be queried: ${describeFetchError(error, page)}`, { cause: error })
    }
  }
}

/**
 * The URL of the file `fileName` of a package. `index`: pip's `index-url`, with user name and password if it needs them. The returned URL
 * also gets them when it is on the same host. Throws `ModelError`.
 */
export async function findPackageFile (fetcher: Index, index: URL, packageName: string, fileName: string): Promise<URL> {
  const page = new URL(index)
  page.pathname = `${index.pathname.replace(/\/+$/, '')}/${packageName}/`
  const { text, type } = await readPage(fetcher, page, packageName)
  const links = type.includes('json') ? parseJson(text, index.host) : parseHtml(text)
  const found = links.find(({ name }) => name === fileName)
  if (!found || !URL.canParse(found.href, page.href)) {
    throw new ModelError(
      `the package index ${index.host} does not have ${fileName} (asked at ${withoutSecrets(page)})`
    )
  }
  const url = new URL(found.href, page.href)
  url.hash = ''
  if (url.origin === index.origin && url.username === '') [url.username, url.password] = [index.username, index.password]
  return url
}
