import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The GPU libraries of node-llama-cpp, which `package.json` replaces by empty packages because they take 71 MB (Vulkan) and 539 MB (CUDA).
 * The digests are those of the npm registry for this version.
 */
export const VERSION = '3.22.1'
const PACKAGES = {
  cuda: {
    'linux-x64-cuda': '8rQCjyNNLZJUFit+YpjwlC4hwkKgOMIkB2wuycKBf8NU2O3ySKbiWZQ8aw9ku2nUTXjSnUIrE6KB88itduTBuA==',
    'linux-x64-cuda-ext': '4e5ajkiM2aR2WAdB/N/ACk4weEhHvOAIrzxZPsIX0xDFW5+6hhShuy1/vs88SK9NGdgAco9IyE28eYS0H1efpA=='
  },
  vulkan: { 'linux-x64-vulkan': 'bBxqU+JOcBu1nb5Qj2zcMci+JByT1E8EajHvYodyNfVIPkEhXh+/HMwR1/BT7xP08YK0hks+kM8fglER0P8JEg==' }
}

const readVersion = (folder) => {
  const file = join(folder, 'package.json')
  const { name, version } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return name?.startsWith('@node-llama-cpp/') ? version : undefined
}

/** Replaces the empty package `name` in `modules` by the real one. */
async function installPackage (modules, name, digest, { run, npm, tar }) {
  const target = join(modules, '@node-llama-cpp', name)
  if (readVersion(target) === VERSION) return
  const next = `${target}.new`
  rmSync(next, { recursive: true, force: true })
  mkdirSync(next, { recursive: true })
  try {
    const { file, args } = npm()
    await run('npm pack', file, [...args, 'pack', '--silent', '--pack-destination', next, `@node-llama-cpp/${name}@${VERSION}`])
    const archive = join(next, readdirSync(next).find((name) => name.endsWith('.tgz')) ?? '')
    if (createHash('sha512').update(readFileSync(archive)).digest('base64') !== digest) throw new Error(`${name} has a wrong checksum.`)
    await run('tar', tar, ['-xzf', archive, '-C', next])
    rmSync(target, { recursive: true, force: true })
    mkdirSync(dirname(target), { recursive: true })
    renameSync(join(next, 'package'), target)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

/**
 * Installs the libraries with which language models use a GPU, if STENOBOX_GPU names one. A failure is reported and set-up continues: the
 * processor is used then. `run`, `npm` and `say` are those of set-up. `tar`: the path of that program.
 */
export async function installGpuLibraries (modules, gpu, tools) {
  const wanted = PACKAGES[gpu]
  if (!wanted) return
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    tools.say(`language models use the processor: there is no ${gpu} library for ${process.platform} on ${process.arch}`)
    return
  }
  try {
    const isInstalled = Object.keys(wanted).every((name) => readVersion(join(modules, '@node-llama-cpp', name)) === VERSION)
    if (!isInstalled) tools.say(`installing the ${gpu} library for language models, 71 MB for Vulkan, 539 MB for CUDA`)
    for (const [name, digest] of Object.entries(wanted)) await installPackage(modules, name, digest, tools)
  } catch (error) {
    tools.say(`the ${gpu} library for language models could not be installed, so they use the processor; everything else works. ` +
      `To try again: npm run build\n${error.message}`)
  }
}
