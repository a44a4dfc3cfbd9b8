/**
 * What a container of the image runs. `serve` first installs a model, as `npm start` does; every other command is that of `stenobox`.
 * Without a network, without a writable folder for models, or with STENOBOX_OFFLINE=true, the server starts with the models that are there.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installModel, readWantedModel } from '../setup-model.mjs'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

function canWrite (folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const runVisibly = (args) => new Promise((resolve, reject) => {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  // If it is stopped while it downloads, the download resumes at the next start.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { child.kill(signal); process.exit(143) })
  child.on('error', reject)
  child.on('close', resolve)
})

const folder = process.env.STENOBOX_MODELS_DIR
if (process.argv[2] === 'serve' && process.env.STENOBOX_OFFLINE !== 'true' && canWrite(folder)) {
  try {
    await installModel(ROOT, readWantedModel(Error), { runVisibly, isQuiet: false, isAsked: false, notes: folder })
  } catch (error) {
    process.stderr.write(`stenobox: ${error.message}\n`)
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
}
await import('../stenobox.mjs')
