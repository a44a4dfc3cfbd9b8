/** The files of the page: which addresses they have, and of which type they are. */

export type PageFile = {
  contentType: string
  /** Of the content. */
  etag: string
  bytes: Buffer
  /** The same, compressed. Absent where that saves nothing. */
  gzip: Buffer | undefined
}

export const INDEX = '/index.html'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2'
}

/** Names that do not begin with a dot, so that no path leads out of the folder. */
const PATH = /^(?:\/[\w-][\w.-]*)+\.([a-z0-9]+)$/

/** The content type of a file at this path; undefined for what cannot be a file of the page. */
export function pageFileType (path: string): string | undefined {
  const ending = PATH.exec(path)?.[1]
  return ending === undefined || !Object.hasOwn(TYPES, ending) ? undefined : TYPES[ending]
}

/** First segments that belong to the server: nothing below them is an address of the page. */
const OF_SERVER = new Set(['api', 'assets', 'docs', 'healthz', 'metrics', 'oauth', 'readyz', '.well-known'])

/** True for addresses that the page itself may know, such as /library/42. */
export function isPageAddress (path: string): boolean {
  return !OF_SERVER.has(path.split('/')[1] ?? '')
}
