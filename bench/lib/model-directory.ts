/** A models directory in which one file of weights is the answer to every quality. */
import { copyFileSync, constants, createReadStream, linkSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Makes the directory. Beam and context are those whisper-cli is given, so that both sides decode alike. */
export async function installModel (directory: string, weights: string, beamSize: number): Promise<string> {
  mkdirSync(directory, { recursive: true })
  const file = 'ggml-bench.bin'
  linkOrCopy(weights, join(directory, file))
  const decoding = { beamSize, bestOf: 5, contextTokens: 0 }
  const quality = { models: ['bench'], decoding }
  const model = {
    name: 'bench', kind: 'whisper', file, bytes: statSync(weights).size, sha256: await digest(weights), licence: 'none', decoding
  }
  const manifest = { version: 1, quality: { fast: quality, balanced: quality, accurate: quality }, models: [model] }
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest, null, 2))
  return directory
}

function linkOrCopy (source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    // Another file system.
    copyFileSync(source, target, constants.COPYFILE_FICLONE)
  }
}

async function digest (path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
