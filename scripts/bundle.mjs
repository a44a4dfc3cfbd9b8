#!/usr/bin/env node
/**
 * `npm run bundle`: one directory with everything that a machine without a network needs, and a script that checks and installs it.
 *
 *   node scripts/bundle.mjs [--image ARCHIVE] [--models FOLDER] [--sign KEY] [--output FOLDER]
 *
 * --image: the image as an OCI archive; without it, the image is built with buildah, podman or docker. --models (default: the folder of
 * STENOBOX_MODELS_DIR, else ./models): models to carry, but for the starters, which are in the image. --sign: sign with this key of
 * OpenSSH. --output (default: build/bundle): an empty or missing folder.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync, copyFileSync, cpSync, createReadStream, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync,
  statSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { copyDocuments } from './bundle/documents.mjs'
import { unpackImage } from './bundle/image-files.mjs'
import { makeSbom } from './bundle/sbom.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const IMAGE_FILE = 'stenobox.oci.tar'
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const TAG = `localhost/${name}:${version}`

class BundleError extends Error {}

const say = (line) => { process.stderr.write(`bundle: ${line}\n`) }

// ---------------------------------------------------------------- the image

/** How each engine builds the image and writes it as an OCI archive. */
const ENGINES = {
  buildah: (file) => [['bud', '--format', 'docker', '-t', TAG, ROOT], ['push', '--format', 'oci', TAG, `oci-archive:${file}:${TAG}`]],
  podman: (file) => [['build', '--format', 'docker', '-t', TAG, ROOT], ['save', '--format', 'oci-archive', '-o', file, TAG]],
  docker: (file) => [['buildx', 'build', '-t', TAG, '--output', `type=oci,dest=${file}`, ROOT]]
}

function buildImage (file) {
  const engine = Object.keys(ENGINES).find((candidate) => !spawnSync(candidate, ['--version']).error)
  if (!engine) {
    throw new BundleError(`none of ${Object.keys(ENGINES).join(', ')} is installed; install one, or pass the image with --image ARCHIVE`)
  }
  for (const args of ENGINES[engine](file)) {
    say(`${engine} ${args[0]}, several minutes`)
    execFileSync(engine, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  }
}

// ---------------------------------------------------------------- parts

/** Copies the files of models. What the present machine noted about them stays behind: its list of checks, and who is at work there. */
function copyModels (from, to) {
  mkdirSync(to, { recursive: true })
  if (!existsSync(from)) return
  const isModel = (path) => {
    const file = basename(path)
    const isStarter = resolve(path) === join(ROOT, 'models', 'starter') || resolve(path) === join(ROOT, 'models', 'manifest.json')
    return !isStarter && !file.startsWith('.') && !/\.(part|new|failed|busy)$|^models\.verified\.json$/.test(file)
  }
  cpSync(from, to, { recursive: true, dereference: true, filter: isModel })
}

/** Licences by package: `npm/NAME/…`, `debian/NAME`, `other/…`. */
function copyLicences (root, to) {
  const copy = (file, ...path) => {
    mkdirSync(dirname(join(to, ...path)), { recursive: true })
    copyFileSync(file, join(to, ...path))
  }
  const files = (pattern) => globSync(pattern, { cwd: root }).filter((path) => statSync(join(root, path)).isFile())
  for (const path of files('usr/share/doc/*/copyright')) copy(join(root, path), 'debian', path.split('/')[3])
  for (const path of files('usr/share/common-licenses/*')) copy(join(root, path), 'debian', 'common-licenses', basename(path))
  for (const path of files('app/node_modules/**/*')) {
    if (!path.endsWith('.json')) copy(join(root, path), 'npm', path.slice('app/node_modules/'.length))
  }
  for (const path of [...files('usr/local/share/doc/**/*'), ...files('usr/local/LICENSE'), ...files('app/build/yt-dlp/**/*')]) {
    copy(join(root, path), 'other', path.replace(/^usr\/local\/(share\/doc\/)?|^app\/build\//, ''))
  }
  for (const file of ['LICENSE', 'NOTICE']) copy(join(ROOT, file), file)
}

const listFiles = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  .sort((a, b) => a < b ? -1 : 1)

async function digest (file) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function writeSums (folder) {
  const lines = []
  for (const path of listFiles(folder)) {
    if (/[\n\\]/.test(path)) throw new BundleError(`the name of a file has a line break or a backslash: ${JSON.stringify(path)}`)
    lines.push(`${await digest(join(folder, path))}  ${path}\n`)
  }
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
  return lines.length
}

function sign (folder, key) {
  // The name of the purpose, "stenobox", keeps signatures for other purposes from being accepted.
  const args = ['-q', '-Y', 'sign', '-f', key, '-n', 'stenobox', join(folder, 'SHA256SUMS')]
  execFileSync('ssh-keygen', args, { stdio: ['inherit', 'ignore', 'inherit'] })
}

// ---------------------------------------------------------------- main

async function bundle ({ image, models, sign: key, output }) {
  const folder = resolve(output)
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new BundleError(`${folder} is not empty`)
  if (image !== undefined && !existsSync(image)) throw new BundleError(`there is no image ${image}`)
  if (key !== undefined && !existsSync(key)) throw new BundleError(`there is no key ${key}`)
  mkdirSync(folder, { recursive: true })
  const archive = join(folder, IMAGE_FILE)
  if (image === undefined) buildImage(archive)
  else copyFileSync(image, archive)

  const work = mkdtempSync(join(tmpdir(), 'stenobox-bundle-'))
  try {
    const { root, architecture } = unpackImage(archive, work)
    copyModels(models, join(folder, 'models'))
    copyLicences(root, join(folder, 'licences'))
    copyDocuments(ROOT, folder)
    copyFileSync(join(ROOT, 'compose.yaml'), join(folder, 'compose.yaml'))
    copyFileSync(join(ROOT, 'scripts', 'bundle', 'install.sh'), join(folder, 'install.sh'))
    chmodSync(join(folder, 'install.sh'), 0o755)
    writeFileSync(join(folder, 'VERSION'), `${version}\n`)
    const weights = await Promise.all(listFiles(join(folder, 'models')).map(async (path) =>
      ({ path, sha256: await digest(join(folder, 'models', path)) })))
    const sbom = makeSbom(root, { application: { name, version }, models: weights })
    writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
    const files = await writeSums(folder)
    if (key !== undefined) sign(folder, key)
    say(`${folder}: ${files} files, ${sbom.components.length} components, for ${architecture}${key === undefined ? '' : ', signed'}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

try {
  const { values } = parseArgs({
    options: {
      image: { type: 'string' },
      models: { type: 'string', default: process.env.STENOBOX_MODELS_DIR || join(ROOT, 'models') },
      sign: { type: 'string' },
      output: { type: 'string', default: join(ROOT, 'build', 'bundle') }
    }
  })
  await bundle(values)
} catch (error) {
  say(error instanceof BundleError || error.code?.startsWith?.('ERR_PARSE_ARGS') ? error.message : error.stack)
  process.exitCode = 1
}
