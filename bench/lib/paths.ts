/** Where the benchmarks find and keep things. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../../dist/evaluate/machine/paths.js'

export const FIXTURES = join(ROOT, 'test/fixtures/audio')
export const STARTER_WEIGHTS = join(ROOT, 'models/starter/ggml-starter-q5_0.bin')

/** Path for a generated model, which takes minutes to make and is the same every time. Git ignores it; it may be deleted. */
export function cachePath (name: string): string {
  const path = join(ROOT, 'build/bench', name)
  mkdirSync(dirname(path), { recursive: true })
  return path
}
