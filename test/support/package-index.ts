/** A package index on the loopback interface, with a small Whisper in two wheels. */
import { zipSync } from 'fflate'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openConversion } from '../../dist/engine/models/ct2-convert.js'
import type { PackageSource } from '../../dist/engine/models/manifest.js'
import { makeVariables, packVariables, writeCt2Folder } from './ct2.ts'
import { modelEntry } from './model-library.ts'
import { serveBytes, sha256Of, startServer } from './model-server.ts'
import type { TestServer } from './model-server.ts'
import { STARTER_MODEL } from './paths.ts'

export type Wheels = { files: Record<string, Buffer>, source: PackageSource, ggml: Buffer }

/** Wheels with these members, and their form in a manifest. */
export function describeWheels (
  members: ReadonlyArray<Record<string, Buffer>>, model: Buffer
): { files: Record<string, Buffer>, source: PackageSource } {
  const files = Object.fromEntries(members.map((held, index) =>
    [
      `tiny_part${index + 1}-1.0-py3-none-any.whl`,
      Buffer.from(zipSync(Object.fromEntries(Object.entries(held).map(([path, bytes]) => [path, [bytes, { level: 1 }]]))))
    ]))
  const wheels = Object.entries(files).map(([file, bytes], index) => ({
    package: `tiny-part${index + 1}`,
    file,
    bytes: bytes.length,
    sha256: sha256Of(bytes),
    members: Object.keys(members[index] ?? {}).filter((path) => !path.endsWith('.py')).map((path) =>
      ({ path, of: path.endsWith('.txt') ? 'vocabulary.txt' as const : 'model.bin' as const }))
  }))
  return { files, source: { wheels, modelBytes: model.length, modelSha256: sha256Of(model) } }
}

/** The small Whisper as two wheels, and as the ggml file it becomes. */
export async function makeWheels (scratch: string): Promise<Wheels> {
  const model = packVariables(makeVariables())
  const folder = writeCt2Folder(join(scratch, 'ct2'), model)
  const vocabulary = readFileSync(join(folder, 'vocabulary.txt'))
  const half = Math.ceil(model.length / 2)
  const described = describeWheels([
    {
      'p1/__init__.py': Buffer.from('raise SystemExit("run")'), 'p1/data/model.bin.part1': model.subarray(0, half),
      'p1/data/vocabulary.txt': vocabulary
    },
    { 'p2/data/model.bin.part2': model.subarray(half) }
  ], model)
  const conversion = await openConversion(folder, STARTER_MODEL)
  const chunks: Buffer[] = []
  for await (const chunk of conversion.chunks) chunks.push(chunk)
  await conversion.close()
  return { ...described, ggml: Buffer.concat(chunks) }
}

/** The manifest entry: first a hub, then the wheels. */
export const wheelEntry = ({ source, ggml }: Wheels, hub: string) =>
  modelEntry('tiny', {
    sha1: 'ab'.repeat(20), bytes: ggml.length, forms: [{ bytes: ggml.length, sha256: sha256Of(ggml) }], sources: [{ hub }, source]
  })

/**
 * Serves wheels. `stallAfter`: how many bytes of a file are sent before the connection stalls. `toLink`: the link to a file, from its URL.
 */
export async function startIndex (
  t: Test,
  files: Readonly<Record<string, Buffer>>,
  stallAfter: (file: string, count: number) => number | undefined = () => undefined,
  toLink: (url: string) => string = (url) => new URL(url).pathname
): Promise<TestServer> {
  const server: TestServer = await startServer(t, (seen, response, count) => {
    const [, place, name = ''] = seen.url.split('/')
    const bytes = files[name]
    if (place === 'files' && bytes) return serveBytes(seen, response, bytes, { stallAfter: stallAfter(name, count) })
    const file = Object.keys(files).find((one) => one.startsWith(`${name.replaceAll('-', '_')}-`))
    if (place !== 'simple' || file === undefined) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' }).end(
      JSON.stringify({ files: [{ filename: file, url: toLink(`${server.url}/files/${file}`) }] })
    )
  })
  return server
}
