#!/usr/bin/env node
/**
 * Builds the native addon (src/native) into build/native when it is stale. Needs Node 20, cmake, make, a C++ compiler and oneDNN,
 * nothing from node_modules but the sources it compiles.
 *
 *   node scripts/build-native.mjs [--mode native|portable] [--gpu off|cuda|vulkan] [--force]
 *
 * `native` is compiled for this machine's processor; `portable` carries one library per instruction set and picks at load, so that
 * an image runs on any x86-64 or arm64. STENOBOX_BUILD and STENOBOX_GPU are the same choices as environment variables.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync, constants, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync
} from 'node:fs'
import { arch, availableParallelism, cpus, totalmem } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const SOURCES = join(ROOT, 'src', 'native')
const MODULES = join(ROOT, 'node_modules')
const OUTPUT = join(ROOT, 'build', 'native')
const STAMP = join(OUTPUT, '.stamp')
const ADDON = 'stenobox.node'

const MODES = ['native', 'portable']
const GPUS = ['off', 'cuda', 'vulkan']
const COMPILED_PACKAGES = ['nodejs-whisper', 'node-addon-api', 'node-api-headers']
/** A compiler of ggml's larger files takes up to this much. */
const BYTES_PER_JOB = 1.2e9

class BuildError extends Error {}

const readText = (file) => existsSync(file) ? readFileSync(file, 'utf8') : undefined

// ---------------------------------------------------------------- choices

function choose (name, value, allowed, fallback) {
  const chosen = value || fallback
  if (!allowed.includes(chosen)) throw new BuildError(`${name} must be one of ${allowed.join(', ')}, not "${chosen}"`)
  return chosen
}

function readChoices ({ mode, gpu }) {
  const wantedGpu = gpu ?? process.env.STENOBOX_GPU
  return {
    mode: choose('STENOBOX_BUILD', mode ?? process.env.STENOBOX_BUILD, MODES, 'native'),
    // "auto" means: use what the build has. A build never guesses at a toolkit.
    gpu: choose('STENOBOX_GPU', wantedGpu === 'auto' ? 'off' : wantedGpu, GPUS, 'off')
  }
}

// ---------------------------------------------------------------- staleness

/** What a native build was compiled for: it dies of an illegal instruction on a lesser processor. */
function processorFeatures () {
  const line = readText('/proc/cpuinfo')?.split('\n').find((candidate) => /^(flags|Features)\s*:/.test(candidate))
  return line ?? cpus()[0]?.model ?? ''
}

function packageVersion (name) {
  const text = readText(join(MODULES, name, 'package.json'))
  if (text === undefined) throw new BuildError(`node_modules/${name} is missing. Install the packages first:\n\n  npm ci --ignore-scripts`)
  return JSON.parse(text).version
}

function hashInputs (choices, options) {
  const hash = createHash('sha256')
  const add = (...parts) => { for (const part of parts) hash.update(part).update('\0') }
  add(process.platform, arch(), ...options)
  for (const name of COMPILED_PACKAGES) add(name, packageVersion(name))
  const files = readdirSync(SOURCES, { recursive: true }).filter((name) => /\.(cc|h|inc|cmake)$|^CMakeLists\.txt$/.test(name))
  for (const file of files.sort()) add(file, readFileSync(join(SOURCES, file)))
  if (choices.mode === 'native') add(processorFeatures())
  return hash.digest('hex')
}

// ---------------------------------------------------------------- tools

function findProgram (name, folders = []) {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...folders]) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {}
  }
}

const CUDA_FOLDERS = ['/usr/local/cuda/bin', '/opt/cuda/bin']

const HEADER_FOLDERS = ['/usr/include', '/usr/local/include', ...(process.env.CPATH ?? '').split(delimiter).filter(Boolean)]

const vulkanHeaders = () => readText(join(process.env.VULKAN_SDK ?? '/usr', 'include', 'vulkan', 'vulkan_core.h')) ?? ''

/** Every tool the build runs, and the Debian package that has it. */
function requiredTools ({ gpu }) {
  const compiler = {
    name: 'c++ compiler', found: process.env.CXX || findProgram('c++') || findProgram('g++') || findProgram('clang++'), package: 'g++'
  }
  const tools = [
    { name: 'cmake', found: findProgram('cmake'), package: 'cmake' },
    { name: 'make', found: findProgram('make'), package: 'make' },
    compiler,
    { name: 'oneDNN', found: HEADER_FOLDERS.some((folder) => existsSync(join(folder, 'dnnl.hpp'))), package: 'libdnnl-dev' }
  ]
  if (gpu === 'cuda') tools.push({ name: 'nvcc', found: findProgram('nvcc', CUDA_FOLDERS), package: 'nvidia-cuda-toolkit' })
  if (gpu === 'vulkan') {
    tools.push(
      { name: 'glslc', found: findProgram('glslc'), package: 'glslc' },
      // Debian 12 has older ones, and ggml does not compile with them.
      { name: 'Vulkan headers of 1.3.275 or newer', found: vulkanHeaders().includes('VK_EXT_layer_settings'), package: 'libvulkan-dev' },
      {
        name: 'SPIR-V headers',
        found: existsSync('/usr/include/spirv/unified1/spirv.hpp') || process.env.VULKAN_SDK,
        package: 'spirv-headers'
      }
    )
  }
  return tools
}

function checkTools (choices) {
  const missing = requiredTools(choices).filter((tool) => !tool.found)
  if (missing.length === 0) return
  const sudo = process.getuid?.() === 0 ? '' : 'sudo '
  const packages = missing.map((tool) => tool.package).join(' ')
  throw new BuildError(`The speech library needs tools that are not installed: ${missing.map((tool) => tool.name).join(', ')}.\n` +
    `Install them, then run the same command again:\n\n  ${sudo}apt-get install -y --no-install-recommends ${packages}`)
}

// ---------------------------------------------------------------- building

/** The first error with what is around it, or the end. */
function excerpt (output) {
  const lines = output.split('\n').filter((line) => line.trim())
  const first = lines.findIndex((line) => /\berror\b/i.test(line))
  const from = first < 0 ? Math.max(0, lines.length - 30) : Math.max(0, first - 3)
  return lines.slice(from, from + 30).join('\n')
}

function run (what, file, args, onLine = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LC_ALL: 'C' } })
    const stop = () => child.kill()
    process.once('exit', stop)
    let output = ''
    let rest = ''
    const take = (chunk) => {
      output = (output + chunk).slice(-512 * 1024)
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      lines.forEach(onLine)
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    child.on('error', (error) => reject(new BuildError(`${what} could not be started: ${error.message}`)))
    child.on('close', (code, signal) => {
      process.off('exit', stop)
      if (code === 0) return resolve()
      reject(new BuildError(`${what} failed (${signal ?? `exit code ${code}`}):\n\n${excerpt(output)}`))
    })
  })
}

async function configure (tree, options, { gpu }) {
  const nvcc = gpu === 'cuda' ? findProgram('nvcc', CUDA_FOLDERS) : undefined
  const args = ['-S', SOURCES, '-B', tree, '-G', 'Unix Makefiles', ...options, ...(nvcc ? [`-DCMAKE_CUDA_COMPILER=${nvcc}`] : [])]
  const hadTree = existsSync(tree)
  try {
    await run('cmake', 'cmake', args)
  } catch (error) {
    if (!hadTree) throw error
    // A tree of another compiler, or of a checkout that was moved.
    rmSync(tree, { recursive: true, force: true })
    await run('cmake', 'cmake', args)
  }
}

/** Tells a quarter at a time. */
function quarters (log) {
  let told = 0
  return (line) => {
    const percent = Number(/^\[\s*(\d+)%\]/.exec(line)?.[1] ?? 0)
    const quarter = Math.floor(percent / 25) * 25
    if (quarter <= told || quarter >= 100) return
    told = quarter
    log(`speech library: ${quarter} %`)
  }
}

/** Puts finished files in place one by one by renaming, so that a process that runs from the old ones keeps them. */
function install (folder) {
  mkdirSync(OUTPUT, { recursive: true })
  const files = readdirSync(folder).filter((name) => /\.(node|so)$/.test(name))
  // The addon goes last: with it in place, its libraries are too.
  for (const name of files.sort((a, b) => Number(a === ADDON) - Number(b === ADDON))) {
    copyFileSync(join(folder, name), join(OUTPUT, `${name}.new`))
    renameSync(join(OUTPUT, `${name}.new`), join(OUTPUT, name))
  }
  for (const name of readdirSync(OUTPUT)) {
    if (name !== '.stamp' && !files.includes(name)) rmSync(join(OUTPUT, name), { recursive: true, force: true })
  }
}

/**
 * Builds the addon unless a build of the same sources, options and processor is there. Throws an Error whose message says what is
 * missing or what the compiler said.
 */
export async function buildNative ({ mode, gpu, force = false, log = () => {} } = {}) {
  const choices = readChoices({ mode, gpu })
  const name = `${choices.mode}, ${choices.gpu === 'off' ? 'cpu' : `cpu and ${choices.gpu}`}`
  const options = ['-DCMAKE_BUILD_TYPE=Release', `-DSTENOBOX_MODE=${choices.mode}`, `-DSTENOBOX_GPU=${choices.gpu}`]
  const hash = hashInputs(choices, options)
  if (!force && existsSync(join(OUTPUT, ADDON)) && readText(STAMP) === hash) return { built: false }

  checkTools(choices)
  const tree = join(ROOT, 'build', `cmake-${choices.mode}-${choices.gpu}`)
  const products = join(tree, 'products')
  if (force) rmSync(tree, { recursive: true, force: true })
  rmSync(products, { recursive: true, force: true })
  log(`building the speech library (${name}), ` +
    `${choices.mode === 'portable' || choices.gpu !== 'off' ? 'several minutes' : 'one to three minutes'}`)
  await configure(tree, [...options, `-DSTENOBOX_OUTPUT=${products}`], choices)
  const jobs = Math.max(1, Math.min(availableParallelism(), Math.floor(totalmem() / BYTES_PER_JOB)))
  await run('The compiler', 'cmake', ['--build', tree, '--target', 'stenobox', '--parallel', String(jobs)], quarters(log))
  rmSync(STAMP, { force: true })
  install(products)
  writeFileSync(`${STAMP}.new`, hash)
  renameSync(`${STAMP}.new`, STAMP)
  return { built: true }
}

// ---------------------------------------------------------------- command

function parseArguments (args) {
  const options = { force: false }
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--force') options.force = true
    else if ((args[i] === '--mode' || args[i] === '--gpu') && i + 1 < args.length) options[args[i].slice(2)] = args[++i]
    else throw new BuildError('Usage: node scripts/build-native.mjs [--mode native|portable] [--gpu off|cuda|vulkan] [--force]')
  }
  return options
}

if (process.argv[1] && fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) {
  const log = (line) => process.stderr.write(`${line}\n`)
  try {
    const { built } = await buildNative({ ...parseArguments(process.argv.slice(2)), log })
    log(built ? 'the speech library is built' : 'the speech library is up to date')
  } catch (error) {
    log(error instanceof BuildError ? error.message : error.stack)
    process.exitCode = 1
  }
}
