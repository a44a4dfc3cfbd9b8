/**
 * Removes from node_modules what a running image does not need: packages for development, sources that were compiled, and binaries for
 * other systems and processors. Run once, while the image is built. Licences stay.
 *
 *   node scripts/image/prune.mjs [off|cuda|vulkan]
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULES = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules')
const OURS = `${process.platform}-${process.arch}`
const gpu = process.argv[2] ?? 'off'
const LICENCE = /^(licen[cs]e|copying|notice|package\.json)/i

const remove = (...path) => { rmSync(join(MODULES, ...path), { recursive: true, force: true }) }
const list = (...path) => existsSync(join(MODULES, ...path)) ? readdirSync(join(MODULES, ...path)) : []

/** Removes the files below a folder that are not licences. */
function removeSources (...path) {
  for (const name of readdirSync(join(MODULES, ...path), { recursive: true, withFileTypes: true })) {
    if (name.isFile() && !LICENCE.test(name.name)) rmSync(join(name.parentPath, name.name))
  }
}

execFileSync('npm', ['prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: dirname(MODULES), stdio: ['ignore', 'ignore', 'inherit']
})
// Only node-llama-cpp names it, to check the types of programs that use it.
remove('typescript')
// The image has its own Node.
for (const name of list()) if (/^node-linux-/.test(name)) remove(name)
removeSources('nodejs-whisper')
removeSources('node-addon-api')
removeSources('node-api-headers')
removeSources('better-sqlite3', 'deps')
removeSources('better-sqlite3', 'src')
for (const name of list('better-sqlite3', 'prebuilds')) if (name !== `${OURS}.node`) remove('better-sqlite3', 'prebuilds', name)
for (const api of list('onnxruntime-node', 'bin')) {
  for (const system of list('onnxruntime-node', 'bin', api)) {
    for (const processor of list('onnxruntime-node', 'bin', api, system)) {
      if (`${system}-${processor}` !== OURS) remove('onnxruntime-node', 'bin', api, system, processor)
    }
  }
}
const isWanted = (name) => name === OURS || (gpu !== 'off' && name.startsWith(`${OURS}-${gpu}`))
for (const name of list('@node-llama-cpp')) if (!isWanted(name)) remove('@node-llama-cpp', name)
remove('node-llama-cpp', 'llama', 'gitRelease.bundle')
for (const name of list('@img')) if (/^sharp-/.test(name) && !name.endsWith(OURS)) remove('@img', name)
