#!/usr/bin/env node
/**
 * Brings a fresh checkout to the point where `npm start` and `npm test` work, and does nothing when it is there
 * already. Run by npm's `prestart` and `pretest`. Needs nothing but Node 20 and npm, because it runs before
 * anything is installed; it reaches out only to apt, npm, pip's index for yt-dlp and, for the model, the hub and that index.
 *
 *   node scripts/setup.mjs [--test] [--model] [--force-native] [--quiet]
 *
 * --test: what the tests need, and no model; --model: the model too, even if it failed within the last hour.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync, constants, copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync,
  realpathSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync
} from 'node:fs'
import { delimiter, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { installGpuLibraries } from './setup-gpu.mjs'
import { takeLock } from './setup-lock.mjs'
import { installModel, readWantedModel } from './setup-model.mjs'
import { installTestTools } from './setup-test-tools.mjs'
import { installYtDlp } from './setup-yt-dlp.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES = join(ROOT, 'node_modules')
const DIST = join(ROOT, 'dist')
const NODE_WANTED = [22, 19]
/** What set-up needs; npm then installs a newer Node. */
const SETUP_NODE_WANTED = [20, 0]

const RUNTIME_PROGRAMS = { ffmpeg: 'ffmpeg', ffprobe: 'ffmpeg', cmake: 'cmake', make: 'make', 'g++': 'g++' }
/** Tests make certificates and signatures. */
const TEST_PROGRAMS = { openssl: 'openssl', 'ssh-keygen': 'openssh-client' }
/** Libraries that the speech library is built with: their headers, and the packages that have them. */
const SYSTEM_LIBRARIES = { 'dnnl.hpp': 'libdnnl-dev' }
const HEADER_FOLDERS = ['/usr/include', '/usr/local/include', ...(process.env.CPATH ?? '').split(delimiter).filter(Boolean)]
/** Folders of src whose files are read at run time and that tsc leaves behind. */
const COPIED = [
  { from: 'src/store/migrations', to: 'dist/store/migrations', ending: '.sql' },
  { from: 'src/evaluate', to: 'dist/evaluate', ending: '.py' }
]

const flags = new Set(process.argv.slice(2))
const quiet = flags.has('--quiet')
const SYSTEM_PROGRAMS = flags.has('--test') ? { ...RUNTIME_PROGRAMS, ...TEST_PROGRAMS } : RUNTIME_PROGRAMS
const children = new Set()

class SetupError extends Error {}

const say = (line) => { if (!quiet) process.stderr.write(`setup: ${line}\n`) }

// ---------------------------------------------------------------- programs

/** PATH without this project's own node_modules/.bin, whose `node` is deleted while `npm ci` runs. */
function outsidePath () {
  const inside = (folder) => folder.startsWith(MODULES + sep) || folder === join(MODULES, '.bin')
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder && !inside(folder)).join(delimiter)
}

function findProgram (name) {
  for (const folder of outsidePath().split(delimiter)) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      if (statSync(file).isFile()) return file
    } catch {}
  }
}

const isInside = (file) => {
  try {
    return realpathSync(file).startsWith(realpathSync(MODULES) + sep)
  } catch {
    return file.startsWith(MODULES + sep)
  }
}

/** A Node that `npm ci` cannot delete under our feet; the running one when there is no other. */
function outsideNode () {
  const candidates = [process.env.npm_node_execpath, process.execPath, findProgram('node')]
  return candidates.find((file) => file && existsSync(file) && !isInside(file)) ?? process.execPath
}

/** The end of a program's output; of a long one, the first lines too, where npm and tsc say what is wrong. */
function shorten (text, count) {
  const lines = text.split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .filter((line) => line.trim() && !/^npm (warn|notice)/.test(line))
  if (lines.length <= count) return lines.join('\n')
  const half = Math.floor(count / 2)
  return [...lines.slice(0, half), `… ${lines.length - 2 * half} lines …`, ...lines.slice(-half)].join('\n')
}

/** Shows that something long still runs: the time on a terminal, else a line every 15 s. Returns a function that stops it. */
function showLife (what) {
  if (quiet) return () => {}
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1000)
  const isTerminal = process.stderr.isTTY
  const timer = setInterval(() => {
    if (isTerminal) process.stderr.write(`\rsetup: ${what}, ${seconds()} s\x1b[K`)
    else say(`${what}, ${seconds()} s`)
  }, isTerminal ? 1000 : 15_000)
  return () => {
    clearInterval(timer)
    if (isTerminal) process.stderr.write('\r\x1b[K')
  }
}

/** Runs the program itself, with the terminal that set-up has, and returns its exit code. */
function runVisibly (args) {
  return new Promise((resolve, reject) => {
    const child = spawn(toolNode(), args, { cwd: process.cwd(), stdio: ['ignore', 'inherit', 'inherit'] })
    children.add(child)
    child.on('error', reject)
    child.on('close', (code) => {
      children.delete(child)
      resolve(code)
    })
  })
}

/** Runs a program silently. Throws SetupError with the end of its output when it fails. */
function run (what, file, args, { env = {}, advice, lines = 30 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: outsidePath(), ...env } })
    children.add(child)
    const stopShowing = showLife(what)
    let output = ''
    const keep = (chunk) => { output = (output + chunk).slice(-64 * 1024) }
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    child.on('error', (error) => reject(new SetupError(`${what} could not be started: ${error.message}\n${advice ?? ''}`)))
    child.on('close', (code, signal) => {
      children.delete(child)
      stopShowing()
      if (code === 0) return resolve(output)
      const end = shorten(output, lines)
      const how = signal ? `was stopped by ${signal}` : `failed with exit code ${code}`
      reject(new SetupError(`${what} ${how}.${end ? `\n\n${end.replace(/^/gm, '  ')}\n` : ''}${advice ? `\n${advice}` : ''}`))
    })
  })
}

// ---------------------------------------------------------------- stamps

const sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

const readText = (file) => existsSync(file) ? readFileSync(file, 'utf8') : undefined

function writeStamp (file, hash) {
  writeFileSync(`${file}.new`, hash)
  renameSync(`${file}.new`, file)
}

function listFiles (folder, wanted) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

// ---------------------------------------------------------------- steps

/** Programs and headers that are not there. */
function missingFromSystem () {
  const libraries = Object.keys(SYSTEM_LIBRARIES).filter((header) => !HEADER_FOLDERS.some((folder) => existsSync(join(folder, header))))
  return [...Object.keys(SYSTEM_PROGRAMS).filter((program) => !findProgram(program)), ...libraries]
}

async function installSystemPackages () {
  const missing = missingFromSystem()
  if (missing.length === 0) return
  const packages = [...new Set(missing.map((name) => ({ ...SYSTEM_PROGRAMS, ...SYSTEM_LIBRARIES })[name]))]
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  const apt = findProgram('apt-get')
  const fault = `these programs and libraries are missing: ${missing.join(', ')}.\nInstall them`
  if (!apt) throw new SetupError(`${fault} with this system's package manager, then run the same command again.`)
  if (process.getuid() !== 0) {
    throw new SetupError(`${fault}, then run the same command again:\n\n  sudo apt-get update && sudo ${line}`)
  }
  say(`installing ${packages.join(', ')} with apt-get, about a minute`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const advice = `Run it by hand to see more, then run the same command again:\n\n  ${line}`
  // An update that fails may still leave lists good enough to install from, so only the install decides.
  const update = await run('apt-get update', apt, ['update', '-qq'], { env }).then(() => undefined, (error) => error)
  try {
    // A background upgrade right after boot holds apt's lock: wait for it.
    await run(line, apt, ['-o', 'DPkg::Lock::Timeout=300', ...line.split(' ').slice(1)], { env, advice })
  } catch (error) {
    throw update ? new SetupError(`${update.message}\n${error.message}`) : error
  }
  const still = missingFromSystem()
  if (still.length > 0) throw new SetupError(`apt-get installed ${packages.join(', ')}, but there is still no ${still.join(', ')}.`)
}

/** True when what npm says it installed is what the lock file asks for, so that a person's own `npm ci` is not done again. */
function isInstalledAsLocked (lock) {
  const hidden = readText(join(MODULES, '.package-lock.json'))
  if (hidden === undefined) return false
  const installed = JSON.parse(hidden).packages ?? {}
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true
    const found = installed[path]
    if (found) return found.version === wanted.version
    // Optional packages are left out on other machines; ours would be asked for by name of this one.
    return Boolean(wanted.optional) && path !== `node_modules/node-${process.platform}-${process.arch}`
  })
}

function npmCommand () {
  const script = process.env.npm_execpath
  if (script && existsSync(script) && /\.c?js$/.test(script) && !isInside(script)) return { file: outsideNode(), args: [script] }
  const npm = findProgram('npm')
  if (!npm) throw new SetupError('npm was not found on PATH. Install Node.js with npm (20 or newer), then run the same command again.')
  return { file: npm, args: [] }
}

async function installNodeModules () {
  const lockText = readText(join(ROOT, 'package-lock.json'))
  if (lockText === undefined) throw new SetupError('package-lock.json is missing: this is not a complete checkout.')
  const stamp = join(MODULES, '.stenobox-packages')
  const hash = sha256(lockText, process.platform, process.arch)
  if (readText(stamp) === hash) return hash
  if (!existsSync(stamp) && isInstalledAsLocked(JSON.parse(lockText))) {
    writeStamp(stamp, hash)
    return hash
  }
  rmSync(stamp, { force: true })
  say('installing the npm packages, about a minute')
  const { file, args } = npmCommand()
  // Every option a person's npmrc or NODE_ENV could set in a way that breaks the build is given here.
  const options = [
    'ci', '--ignore-scripts', '--include=dev', '--include=optional', '--include=peer',
    '--engine-strict=false', '--audit=false', '--fund=false', '--workspaces=false', '--global=false'
  ]
  const node = dirname(outsideNode())
  await run('npm ci', file, [...args, ...options], {
    env: { PATH: `${node}${delimiter}${outsidePath()}` },
    advice: 'This step needs the npm registry. Check the connection and `npm config list`, then run the same command again.'
  })
  writeStamp(stamp, hash)
  return hash
}

const isOlder = ([major, minor]) => {
  const [ourMajor, ourMinor] = process.versions.node.split('.').map(Number)
  return ourMajor < major || (ourMajor === major && ourMinor < minor)
}

/** Before anything is installed: set-up itself needs Node 20, and the newest where npm has no Node for this machine. */
function checkNode () {
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const isSupplied = `node-${process.platform}-${process.arch}` in optionalDependencies
  const wanted = isSupplied ? SETUP_NODE_WANTED : NODE_WANTED
  if (!isOlder(wanted)) return
  throw new SetupError(`Stenobox needs Node.js ${wanted.join('.')} or newer; this is ${process.version}.\n` +
    'Install a newer Node.js, then run the same command again.')
}

/** The Node that runs Stenobox: the one from npm where the machine's own is too old. */
function checkRuntime () {
  if (existsSync(join(MODULES, '.bin', 'node')) || !isOlder(NODE_WANTED)) return
  throw new SetupError(`Stenobox needs Node.js ${NODE_WANTED.join('.')} or newer; this is ${process.version}, ` +
    `and npm did not install a newer one for ${process.platform}-${process.arch}.\n` +
    'Install a newer Node.js, then run the same command again.')
}

async function linkCommand () {
  const link = join(MODULES, '.bin', 'stenobox')
  const target = '../../scripts/stenobox.mjs'
  try {
    if (lstatSync(link).isSymbolicLink() && readlinkSync(link) === target) return
  } catch {}
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(target, link)
}

async function buildAddon () {
  const { buildNative } = await import(pathToFileURL(join(ROOT, 'scripts', 'build-native.mjs')).href)
  const stopShowing = showLife('building the speech library')
  try {
    await buildNative({ force: flags.has('--force-native'), log: say })
  } catch (error) {
    throw new SetupError(`building the speech library failed.\n${error.message}\n\nIf a compiler or cmake was changed, remove ` +
      'build/native and run: node scripts/setup.mjs --force-native')
  } finally {
    stopShowing()
  }
}

/** `node` for tools: the running one may have been replaced by npm ci, at the same path. */
const toolNode = () => existsSync(process.execPath) ? process.execPath : outsideNode()

function expectedOutputs (sources) {
  const copied = COPIED.flatMap(({ from, to, ending }) =>
    listFiles(join(ROOT, from), (name) => name.endsWith(ending))
      .map((file) => ({ file, output: join(ROOT, to, relative(join(ROOT, from), file)) })))
  const base = (file) => join(DIST, relative(join(ROOT, 'src'), file)).replace(/\.ts$/, '')
  const compiled = sources.filter((file) => !file.endsWith('.d.ts')).map(base)
  return { copied, compiled }
}

async function buildTypeScript (packagesHash) {
  const sources = listFiles(join(ROOT, 'src'), (name) => name.endsWith('.ts'))
  const { copied, compiled } = expectedOutputs(sources)
  const inputs = [join(ROOT, 'tsconfig.json'), ...sources, ...copied.map(({ file }) => file)]
  const hash = sha256(packagesHash, ...inputs.flatMap((file) => [relative(ROOT, file), readFileSync(file)]))
  const stamp = join(DIST, '.stenobox-build')
  const complete = compiled.every((file) => existsSync(`${file}.js`)) && copied.every(({ output }) => existsSync(output))
  if (complete && readText(stamp) === hash) return
  rmSync(stamp, { force: true })
  say('compiling TypeScript, a few seconds')
  await run('tsc', toolNode(), [join(MODULES, 'typescript', 'bin', 'tsc'), '-p', join(ROOT, 'tsconfig.json'), '--pretty', 'false'], {
    lines: 60, advice: 'Correct these errors in src/, then run the same command again.'
  })
  const kept = new Set(copied.map(({ output }) => output))
  for (const file of compiled) for (const ending of ['.js', '.js.map', '.d.ts', '.d.ts.map']) kept.add(file + ending)
  for (const file of listFiles(DIST, () => true)) if (!kept.has(file)) rmSync(file, { force: true })
  for (const { file, output } of copied) {
    mkdirSync(dirname(output), { recursive: true })
    copyFileSync(file, output)
  }
  writeStamp(stamp, hash)
}

/** The page that people open: static files in build/page. */
async function buildPage (packagesHash) {
  const page = join(ROOT, 'src', 'dashboard')
  const types = join(page, 'api', 'schema.ts')
  const files = listFiles(page, () => true).filter((file) => file !== types)
  const inputs = [...files, join(ROOT, 'src', 'routes', 'openapi.json'), join(ROOT, 'scripts', 'build-page.mjs')]
  const hash = sha256(packagesHash, ...inputs.flatMap((file) => [relative(ROOT, file), readFileSync(file)]))
  const stamp = join(ROOT, 'build', 'page.stamp')
  if (existsSync(join(ROOT, 'build', 'page', 'index.html')) && existsSync(types) && readText(stamp) === hash) return
  rmSync(stamp, { force: true })
  say('building the page, a few seconds')
  await run('the build of the page', toolNode(), [join(ROOT, 'scripts', 'build-page.mjs')], {
    lines: 60, advice: 'Correct these errors in src/dashboard, then run the same command again.'
  })
  writeStamp(stamp, hash)
}

/** tap compiles its test class for the plugins in .taprc; left to itself it does so on the first run, without a lock. */
async function buildTestRunner (packagesHash) {
  const config = readText(join(ROOT, '.taprc'))
  if (config === undefined) return
  const stamp = join(MODULES, '.stenobox-tap')
  const hash = sha256(packagesHash, config)
  if (readText(stamp) === hash) return
  say('preparing the test runner, a few seconds')
  const tap = JSON.parse(readFileSync(join(MODULES, 'tap', 'package.json'), 'utf8')).bin
  const bin = join(MODULES, 'tap', typeof tap === 'string' ? tap : tap.tap)
  await run('tap build', toolNode(), [bin, 'build'])
  writeStamp(stamp, hash)
}

// ---------------------------------------------------------------- main

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
    process.exit(1)
  })
}

try {
  if (process.platform !== 'linux') throw new SetupError(`Stenobox runs on Linux; this is ${process.platform}.`)
  checkNode()
  const wantedModel = readWantedModel(SetupError)
  await takeLock(join(ROOT, 'build'), (pid) => say(`another set-up (process ${pid}) is at work here; waiting for it`))
  await installSystemPackages()
  if (flags.has('--test')) await installTestTools(join(ROOT, 'build', 'test-tools.failed'), { run, findProgram, say })
  const packagesHash = await installNodeModules()
  checkRuntime()
  await linkCommand()
  await installGpuLibraries(MODULES, process.env.STENOBOX_GPU, { run, npm: npmCommand, tar: 'tar', say })
  await installYtDlp(join(ROOT, 'build'), { run, findProgram, say })
  await buildAddon()
  await buildTypeScript(packagesHash)
  await buildPage(packagesHash)
  if (flags.has('--test')) await buildTestRunner(packagesHash)
  if (!flags.has('--test') || flags.has('--model')) {
    const isAsked = flags.has('--model') || process.env.npm_lifecycle_event === 'build'
    await installModel(ROOT, wantedModel, { runVisibly, isQuiet: quiet, isAsked })
  }
} catch (error) {
  process.stderr.write(`\nsetup: ${error instanceof SetupError ? error.message : error.stack}\n`)
  process.exit(1)
}
