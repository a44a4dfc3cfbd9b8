/** The bundle for machines without a network: what is in it, and that one flipped byte anywhere is refused and named. */
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { linksOf } from '../../scripts/bundle/documents.mjs'
import { makeImage } from '../support/oci-image.ts'

const STATUS = `Package: libdnnl2
Status: install ok installed
Version: 2.6.3-1
Architecture: amd64
Maintainer: Debian Deep Learning Team <debian-ai@lists.debian.org>

Package: removed
Status: deinstall ok config-files
Version: 1
Architecture: amd64
`
const LOCK = JSON.stringify({
  packages: {
    'node_modules/@fastify/cookie': { version: '11.1.5', license: 'MIT', integrity: `sha512-${Buffer.alloc(64, 7).toString('base64')}` },
    'node_modules/a/node_modules/b': { version: '1.0.0', license: '(MIT OR Apache-2.0)' }
  }
})
const FILES = {
  'var/lib/dpkg/status': STATUS,
  'usr/share/doc/libdnnl2/copyright': 'Apache-2.0\n',
  'app/node_modules/.package-lock.json': LOCK,
  'app/node_modules/@fastify/cookie/LICENSE': 'MIT\n',
  'app/node_modules/@fastify/cookie/index.js': 'code\n',
  'app/build/image.json': '{"node":"24.21.0"}'
}

type Run = { code: number | null, stdout: string, stderr: string }
function run (file: string, ...args: string[]): Run {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

type Bundle = { folder: string, key: string, check: (...args: string[]) => Run }

/** A signed bundle of a stand-in image and a stand-in model. */
function makeBundle (t: Test): Bundle {
  const place = t.testdir({ models: { 'ggml-tiny.bin': 'weights', 'models.verified.json': '{}', 'models.busy': '', 'half.part': 'x' } })
  makeImage(join(place, 'image.tar'), FILES)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'owner', '-f', join(place, 'key')])
  const folder = join(place, 'bundle')
  const made = run(
    process.execPath, 'scripts/bundle.mjs', '--image', join(place, 'image.tar'), '--models', join(place, 'models'),
    '--sign', join(place, 'key'), '--output', folder
  )
  t.equal(made.code, 0, made.stderr)
  return { folder, key: join(place, 'key.pub'), check: (...args) => run(join(folder, 'install.sh'), '--check', ...args) }
}

const listFiles = (folder: string): string[] => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)))

t.test('a bundle has the image, models, licences, documents, and a list of everything', async (t) => {
  const { folder, key, check } = makeBundle(t)
  const files = listFiles(folder)
  for (const file of [
    'install.sh', 'SHA256SUMS', 'SHA256SUMS.sig', 'stenobox.oci.tar', 'models/ggml-tiny.bin', 'compose.yaml', 'docs/operations.md',
    'licences/NOTICE', 'licences/debian/libdnnl2', 'licences/npm/@fastify/cookie/LICENSE', 'sbom.cdx.json'
  ]) t.ok(files.includes(file), file)
  t.notOk(files.includes('models/half.part'), 'no half downloads')
  t.notOk(files.includes('models/models.verified.json'), 'no list of checks of another machine')
  t.notOk(files.includes('models/models.busy'), 'no lock of another machine')
  const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('licences/'))
  const links = documents.flatMap((file) => linksOf(file, readFileSync(join(folder, file), 'utf8')))
  t.ok(documents.length > 50 && links.length > 100)
  t.strictSame(links.filter((link) => !files.includes(link)), [], 'every link leads to a file of the bundle')
  const sbom = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as { components: Array<{ name: string }> }
  t.match(sbom, { bomFormat: 'CycloneDX', specVersion: '1.6' })
  t.match(sbom.components, [
    { name: 'node', version: '24.21.0' },
    { purl: 'pkg:npm/%40fastify/cookie@11.1.5', hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }] },
    { name: 'b', licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
    { purl: 'pkg:deb/debian/libdnnl2@2.6.3-1?arch=amd64' },
    { type: 'machine-learning-model', name: 'ggml-tiny.bin' }
  ])
  t.equal(sbom.components.length, 5)
  const checked = check('--key', key)
  t.equal(checked.code, 0, checked.stderr)
  t.match(checked.stdout, /all \d+ files are as they were bundled/)
})

t.test('one flipped byte anywhere is refused, and the file is named', async (t) => {
  const { folder, key, check } = makeBundle(t)
  for (const file of listFiles(folder).filter((name) => !name.startsWith('docs/decisions/'))) {
    const path = join(folder, file)
    const before = readFileSync(path)
    const { mode } = statSync(path)
    const bytes = Buffer.from(before)
    // In the script itself, a byte of its first comment: it must still run to say so.
    const at = file === 'install.sh' ? 30 : bytes.length >> 1
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(path, bytes, { mode })
    const { code, stderr } = check('--key', key)
    t.equal(code, 1, file)
    t.match(stderr, file, `${file} is named`)
    t.match(stderr, 'nothing was installed')
    writeFileSync(path, before, { mode })
  }
  t.equal(check('--key', key).code, 0)
})

t.test('missing and additional files, other keys and bundles without a signature are refused', async (t) => {
  const { folder, key, check } = makeBundle(t)
  writeFileSync(join(folder, 'models', 'more.bin'), 'more')
  t.match(check(), { code: 1, stderr: /models\/more\.bin is not in SHA256SUMS/ })
  rmSync(join(folder, 'models', 'more.bin'))
  const licence = readFileSync(join(folder, 'licences/NOTICE'))
  rmSync(join(folder, 'licences/NOTICE'))
  t.match(check(), { code: 1, stderr: /SHA256SUMS line \d+: licences\/NOTICE is missing/ })
  writeFileSync(join(folder, 'licences/NOTICE'), licence)

  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', `${key}-other`])
  t.match(check('--key', `${key}-other.pub`), { code: 1, stderr: /is not the signature of/ })
  t.match(check(), { code: 0, stderr: /the signer is not checked/ })
  const sums = readFileSync(join(folder, 'SHA256SUMS'))
  appendFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  ../outside\n`)
  t.match(check(), { code: 1, stderr: /line \d+ is damaged/ })
  writeFileSync(join(folder, 'SHA256SUMS'), sums)
  rmSync(join(folder, 'SHA256SUMS.sig'))
  t.match(check('--key', key), { code: 1, stderr: /not signed/ })
})

t.test('what cannot be bundled is refused in a sentence', async (t) => {
  const place = t.testdir({ full: { file: 'x' }, 'image.tar': 'not a tar', models: {} })
  const refuse = (...args: string[]): Run => run(process.execPath, 'scripts/bundle.mjs', ...args)
  t.match(refuse('--output', join(place, 'full')), { code: 1, stderr: /is not empty/ })
  t.match(refuse('--image', join(place, 'none'), '--output', join(place, 'new')), { code: 1, stderr: /there is no image/ })
  execFileSync('tar', ['-cf', join(place, 'other.tar'), '-C', place, 'full'])
  t.match(refuse('--image', join(place, 'other.tar'), '--models', join(place, 'models'), '--output', join(place, 'new')), {
    code: 1, stderr: /is not an OCI archive/
  })
})
