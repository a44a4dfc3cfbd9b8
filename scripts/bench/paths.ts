/** Where the benchmarks find and keep things. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const FIXTURES = join(ROOT, 'test/fixtures/audio')
export const STARTER_WEIGHTS = join(ROOT, 'models/starter/ggml-starter-q5_0.bin')
export const WHISPER_SOURCES = join(ROOT, 'node_modules/nodejs-whisper/cpp/whisper.cpp')

/** What is expensive to make and the same every time: generated models, whisper-cli. Ignored by git; delete it at will. */
export function cachePath (...parts: readonly string[]): string {
  const path = join(ROOT, 'build/bench', ...parts)
  mkdirSync(join(path, '..'), { recursive: true })
  return path
}

/** A directory of its own under the system's temporary one; `remove` deletes it, also when the process is interrupted. */
export function createScratch (): { path: string, remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'stenobox-bench-'))
  const remove = (): void => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.once('exit', remove)
  return { path, remove }
}
