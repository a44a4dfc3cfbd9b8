/** A small image in an OCI archive, as container engines save them: one layer with the given files. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Writes the archive to `target`. `files`: contents by path within the image. */
export function makeImage (target: string, files: Readonly<Record<string, string>>): void {
  const work = mkdtempSync(join(tmpdir(), 'stenobox-test-image-'))
  const [layer, oci] = [join(work, 'layer'), join(work, 'oci')]
  const blobs = join(oci, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(layer, path)), { recursive: true })
    writeFileSync(join(layer, path), text)
  }
  execFileSync('tar', ['-czf', join(work, 'layer.tgz'), '-C', layer, '.', '--transform', 's#^\\./##'])
  const put = (mediaType: string, bytes: Buffer): object => {
    const hex = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(blobs, hex), bytes)
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length }
  }
  const json = (type: string, value: object): object => put(`application/vnd.oci.image.${type}.v1+json`, Buffer.from(JSON.stringify(value)))
  const manifest = json('manifest', {
    schemaVersion: 2,
    config: json('config', { architecture: 'amd64', os: 'linux' }),
    layers: [put('application/vnd.oci.image.layer.v1.tar+gzip', readFileSync(join(work, 'layer.tgz')))]
  })
  writeFileSync(join(oci, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }))
  writeFileSync(join(oci, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  execFileSync('tar', ['-cf', target, '-C', oci, '.', '--transform', 's#^\\./##'])
}
