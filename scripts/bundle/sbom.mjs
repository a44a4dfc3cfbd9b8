/** The list of everything in the image (SBOM), in the format CycloneDX 1.6, from the lists of npm, Debian and pip. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** `Key: value` lines up to the first empty line. */
const readFields = (text) => Object.fromEntries([...text.matchAll(/^([\w-]+): (.*)$/gm)].map(([, key, value]) => [key, value]))

/** A licence as CycloneDX wants it: the name of one, or an expression. */
function toLicences (text) {
  if (typeof text !== 'string' || text === '' || /^SEE LICEN/i.test(text)) return {}
  return { licenses: / (OR|AND|WITH) /.test(text) ? [{ expression: text }] : [{ license: { name: text } }] }
}

function fromNpm (root) {
  const file = join(root, 'app/node_modules/.package-lock.json')
  if (!existsSync(file)) return []
  return Object.entries(readJson(file).packages)
    .map(([path, one]) => ({ name: one.name ?? path.slice(path.lastIndexOf('node_modules/') + 13), ...one }))
    .map(({ name, version, license, integrity }) => ({
      type: 'library',
      'bom-ref': `pkg:npm/${name.replace('@', '%40')}@${version}`,
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      ...toLicences(license),
      ...(integrity?.startsWith('sha512-') && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }]
      })
    }))
}

function fromDebian (root) {
  const file = join(root, 'var/lib/dpkg/status')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n\n').map(readFields)
    .filter(({ Status }) => Status?.endsWith(' installed'))
    .map(({ Package: name, Version: version, Architecture: architecture, Maintainer: maintainer }) => {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
      return { type: 'library', 'bom-ref': purl, name, version, purl, supplier: { name: maintainer } }
    })
}

function fromPip (root) {
  return globSync(join(root, 'app/build/yt-dlp/*.dist-info/METADATA')).map((file) => {
    const { Name: name, Version: version, License: license, 'License-Expression': expression } = readFields(readFileSync(file, 'utf8'))
    const purl = `pkg:pypi/${name}@${version}`
    return { type: 'library', 'bom-ref': purl, name, version, purl, ...toLicences(expression ?? license) }
  })
}

/** What was built or copied while the image was made: Node and ffmpeg. */
function fromBuild (root) {
  const file = join(root, 'app/build/image.json')
  const versions = existsSync(file) ? readJson(file) : {}
  return Object.entries(versions).map(([name, version]) =>
    ({ type: 'application', 'bom-ref': `pkg:generic/${name}@${version}`, name, version, purl: `pkg:generic/${name}@${version}` }))
}

/** `models`: `{ path, sha256 }` of each file. `application`: `{ name, version }`. */
export function makeSbom (root, { application, models }) {
  const weights = models.map(({ path, sha256 }) => ({
    type: 'machine-learning-model', 'bom-ref': `model:${path}`, name: basename(path), hashes: [{ alg: 'SHA-256', content: sha256 }]
  }))
  const components = [...fromBuild(root), ...fromNpm(root), ...fromDebian(root), ...fromPip(root), ...weights]
  const unique = new Map(components.map((component) => [component['bom-ref'], component]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date().toISOString(),
      component: { type: 'application', 'bom-ref': 'stenobox', ...application, licenses: [{ license: { id: 'Apache-2.0' } }] }
    },
    components: [...unique.values()]
  }
}
