/** The built files of the page. They are read at the first request, and again when they have changed: a new build needs no restart. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { INDEX, pageFileType } from '../domain/page-file.js'
import type { PageFile } from '../domain/page-file.js'

const compress = promisify(gzip)
const LEVEL = 9
/** More files than any build has. */
const MAX_FILES = 1000

type Cached = { changedMs: number, sizeBytes: number, file: PageFile }

/** Addresses in index.html begin with the folder in which a proxy publishes the appliance. */
const inFolder = (html: string, folder: string): string => html.replace(/\b(href|src)="\/(?!\/)/g, `$1="${folder}/`)

async function read (path: string, contentType: string, change: (bytes: Buffer) => Buffer): Promise<PageFile> {
  const bytes = change(await readFile(path))
  const gzipped = /^(text|image\/svg|application)/.test(contentType) ? await compress(bytes, { level: LEVEL }) : undefined
  return {
    contentType,
    etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 27),
    bytes,
    gzip: gzipped && gzipped.length < bytes.length ? gzipped : undefined
  }
}

/** `folder`: where the build is; it need not exist. `base`: the path at which browsers see the appliance, without a trailing slash. */
export function createPageFiles (folder: string, base: string) {
  const files = new Map<string, Cached>()
  const change = (path: string) => (bytes: Buffer): Buffer =>
    path === INDEX && base !== '' ? Buffer.from(inFolder(bytes.toString('utf8'), base)) : bytes

  return {
    /** The file at an absolute path such as /assets/index.js. Undefined when there is none. */
    async find (path: string): Promise<PageFile | undefined> {
      const contentType = pageFileType(path)
      if (contentType === undefined) return undefined
      const place = join(folder, path)
      const found = await stat(place).catch(() => undefined)
      if (!found?.isFile()) return undefined
      const known = files.get(path)
      if (known && known.changedMs === found.mtimeMs && known.sizeBytes === found.size) return known.file
      const file = await read(place, contentType, change(path))
      if (files.size >= MAX_FILES) files.clear()
      files.set(path, { changedMs: found.mtimeMs, sizeBytes: found.size, file })
      return file
    }
  }
}
