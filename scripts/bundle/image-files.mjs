/** Reads files out of an image in an OCI archive, without a container engine. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files that say what is in the image and under which licence. `*` also matches `/`, as in tar. */
const WANTED = [
  'var/lib/dpkg/status', 'usr/share/doc/*/copyright', 'usr/share/common-licenses/*', 'usr/local/share/doc/*', 'usr/local/LICENSE',
  'app/package.json', 'app/LICENSE', 'app/NOTICE', 'app/build/image.json', 'app/node_modules/.package-lock.json',
  'app/node_modules/*/[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*', 'app/node_modules/*/[Cc][Oo][Pp][Yy][Ii][Nn][Gg]*', 'app/node_modules/*/NOTICE*',
  'app/build/yt-dlp/*.dist-info/*'
]

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const blobOf = (folder, { digest }) => join(folder, 'blobs', ...digest.split(':'))

/** Follows nested indexes to the one manifest. Throws an Error when there is none, or more than one. */
function findManifest (folder, descriptors) {
  if (descriptors.length !== 1) throw new Error(`the archive has ${descriptors.length} images; it must have one`)
  const found = readJson(blobOf(folder, descriptors[0]))
  return found.manifests ? findManifest(folder, found.manifests) : found
}

/**
 * Unpacks the wanted files of the image in `archive` to `work`/root and returns that folder and the image's architecture. Throws an Error
 * when the archive is not one of OCI.
 */
export function unpackImage (archive, work) {
  const [folder, root] = [join(work, 'oci'), join(work, 'root')]
  for (const path of [folder, root]) mkdirSync(path, { recursive: true })
  execFileSync('tar', ['-xf', archive, '-C', folder])
  if (!existsSync(join(folder, 'index.json'))) {
    throw new Error(`${archive} is not an OCI archive; save the image with podman save --format oci-archive, or with ` +
      'docker buildx build --output type=oci')
  }
  const manifest = findManifest(folder, readJson(join(folder, 'index.json')).manifests)
  for (const layer of manifest.layers) {
    const options = ['--wildcards', '--wildcards-match-slash', '--no-same-owner', '--no-same-permissions', '--exclude=.wh.*']
    const { status, stderr } = spawnSync('tar', ['-xf', blobOf(folder, layer), '-C', root, ...options, ...WANTED], { encoding: 'utf8' })
    // A layer need not have all of the files; tar then exits with 2.
    const complaints = stderr.split('\n').filter((line) => line && !/Not found in archive|Exiting with failure status/.test(line))
    if (status !== 0 && complaints.length > 0) throw new Error(`a layer of the image cannot be read: ${complaints[0]}`)
  }
  return { root, architecture: readJson(blobOf(folder, manifest.config)).architecture }
}
