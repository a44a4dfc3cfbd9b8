/** A small image in an OCI archive, as container engines save them: one layer with the given files. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** `from`: a file of this machine. */
type Content = string | { from: string }
/** What a container engine needs to run it. */
type Setup = { User?: string, Cmd?: string[] }

/**
 * Writes the archive to `target`. `files`: contents by path within the image; a path that ends in a slash is an empty folder. All of them
 * belong to `owner`, a user id.
 */
export function makeImage (target: string, files: Readonly<Record<string, Content>>, { owner = 0, setup = {} as Setup } = {}): void {
  const work = mkdtempSync(join(tmpdir(), 'stenobox-test-image-'))
  const [layer, oci] = [join(work, 'layer'), join(work, 'oci')]
  const blobs = join(oci, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(path.endsWith('/') ? join(layer, path) : dirname(join(layer, path)), { recursive: true })
    if (path.endsWith('/')) continue
    if (typeof content === 'string') writeFileSync(join(layer, path), content)
    else copyFileSync(content.from, join(layer, path))
  }
  const options = [`--owner=${owner}`, `--group=${owner}`, '--numeric-owner', '--transform', 's#^\\./##']
  execFileSync('tar', ['-cf', join(work, 'layer.tar'), '-C', layer, '.', ...options])
  const layerTar = readFileSync(join(work, 'layer.tar'))
  const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
  const put = (mediaType: string, bytes: Buffer): object => {
    writeFileSync(join(blobs, digest(bytes)), bytes)
    return { mediaType, digest: `sha256:${digest(bytes)}`, size: bytes.length }
  }
  const json = (type: string, value: object): object => put(`application/vnd.oci.image.${type}.v1+json`, Buffer.from(JSON.stringify(value)))
  const rootfs = { type: 'layers', diff_ids: [`sha256:${digest(layerTar)}`] }
  const manifest = json('manifest', {
    schemaVersion: 2,
    config: json('config', { architecture: ARCHITECTURES[process.arch], os: 'linux', rootfs, config: setup }),
    layers: [put('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(layerTar))]
  })
  writeFileSync(join(oci, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }))
  writeFileSync(join(oci, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  execFileSync('tar', ['-cf', target, '-C', oci, '.', '--transform', 's#^\\./##'])
  rmSync(work, { recursive: true })
}
