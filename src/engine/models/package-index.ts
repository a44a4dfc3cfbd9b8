/** Where a wheel is, asked of a package index by its simple interface: PEP 691 (JSON), or PEP 503 (HTML) where the index is older. */
import Type from 'typebox'
import { Value } from 'typebox/value'
import { withoutSecrets } from '../../domain/model-source.js'
import { ModelError } from './files.js'
import { PassingError, wrapNetworkError } from '../http/model-http.js'
import type { Answer, ModelHttp } from '../http/model-http.js'

const MAX_PAGE_BYTES = 16 * 1024 * 1024
const ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1'
/** An index that says nothing for so long is passed over. */
const PATIENCE_MS = 10_000

const Page = Type.Object({ files: Type.Array(Type.Object({ filename: Type.String(), url: Type.String() })) })
type Link = { name: string, href: string }

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
    // Said below, together with JSON of another kind.
  }
  throw new ModelError(`the package index ${host} answers with something else than a list of files`)
}

/** A page of the index, with its type. Asked a second time when the first fails for now. */
async function readPage (http: ModelHttp, page: URL, packageName: string): Promise<{ text: string, type: string }> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const answer = await http.ask(page, { method: 'GET', headers: { accept: ACCEPT }, patienceMs: PATIENCE_MS })
      if (answer.status === 200) return { text: await readText(answer, page.host), type: answer.headers['content-type'] ?? '' }
      await answer.dump()
      throw new ModelError(`the package index ${page.host} does not have ${packageName} (status ${answer.status})`)
    } catch (error) {
      const wrapped = wrapNetworkError(error, page.host)
      if (!(wrapped instanceof PassingError)) throw wrapped
      if (!isFirst) throw new ModelError(`the package index cannot be asked: ${wrapped.message}`, { cause: error })
    }
  }
}

async function readText ({ body }: Answer, host: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_PAGE_BYTES) throw new ModelError(`the package index ${host} sends more than a list of files`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * The address of the file `fileName` of a package. `index`: as pip's `index-url`, with its name and password where it has them; the
 * address gets them where it is on the same host. Throws `ModelError`.
 */
export async function findPackageFile (http: ModelHttp, index: URL, packageName: string, fileName: string): Promise<URL> {
  const page = new URL(index)
  page.pathname = `${index.pathname.replace(/\/+$/, '')}/${packageName}/`
  const { text, type } = await readPage(http, page, packageName)
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
