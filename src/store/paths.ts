/** Paths under the data directory. */
import { resolve, sep } from 'node:path'

export type StoredFile = { sizeBytes: number, sha256: string }

/** The absolute path of `names` inside `directory`. Throws when it would lead out of it. */
export function pathInside (directory: string, ...names: string[]): string {
  const root = resolve(directory)
  const path = resolve(root, ...names)
  if (!path.startsWith(root + sep)) throw new Error(`path leads out of its directory: ${names.join('/')}`)
  return path
}
