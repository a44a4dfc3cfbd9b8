/** Where the evaluation finds and keeps things. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with package.json. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const WHISPER_SOURCES = join(ROOT, 'node_modules/nodejs-whisper/cpp/whisper.cpp')

/** A new directory under the system's temporary one; `remove` deletes it, and so does the end of the process. */
export function createScratch (): { path: string, remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'stenobox-measure-'))
  const remove = (): void => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.once('exit', remove)
  return { path, remove }
}
