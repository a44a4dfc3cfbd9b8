import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** After a failure, no new try for this long: without a network every start would wait for it. */
const PAUSE_MS = 60 * 60_000
const CHOICES = ['auto', 'base', 'tiny.en', 'starter', 'none']

const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size
const isRecent = (file, text) => existsSync(file) && readFileSync(file, 'utf8') === text && Date.now() - statSync(file).mtimeMs < PAUSE_MS

/** An emptied list is no model; one that cannot be read is looked at by the program itself. */
function hasAdditions (folder) {
  const file = join(folder, 'models.local.json')
  if (!existsSync(file)) return false
  try {
    return JSON.parse(readFileSync(file, 'utf8')).models.length > 0
  } catch {
    return true
  }
}

/**
 * True when a model of the manifest, or one that a person added, seems to be there. The program itself checks it later, so set-up need
 * not install one.
 */
function hasModel (root, folder, wanted) {
  if (wanted !== 'base' && wanted !== 'tiny.en' && hasAdditions(folder)) return true
  const own = join(folder, 'manifest.json')
  const { models } = JSON.parse(readFileSync(existsSync(own) ? own : join(root, 'models', 'manifest.json'), 'utf8'))
  return models.some(({ name, file, bytes, bundled }) => {
    const size = sizeOf(join(folder, file))
    return !bundled && (wanted === 'auto' || wanted === name) && size !== undefined && (bytes === undefined || bytes === size)
  })
}

/** What STENOBOX_MODEL asks for. Throws `SetupError`. */
export function readWantedModel (SetupError) {
  const wanted = process.env.STENOBOX_MODEL || 'auto'
  if (!CHOICES.includes(wanted)) {
    throw new SetupError(
      `STENOBOX_MODEL is ${JSON.stringify(wanted)}; it must be one of ${CHOICES.join(', ')}.`
    )
  }
  return wanted
}

/**
 * Installs a real speech model on the first start, by the program's own code. It is optional: where none can be had, set-up says so
 * and continues, and the starter model is used. `isAsked`: try even after a failure within the last hour. `runVisibly`: see setup.mjs.
 * `notes`: the folder in which a failure is remembered.
 */
export async function installModel (root, wanted, { runVisibly, isQuiet, isAsked, notes = join(root, 'build') }) {
  const folder = resolve(process.env.STENOBOX_MODELS_DIR || './models')
  if (wanted === 'none' || wanted === 'starter' || hasModel(root, folder, wanted)) return
  const failed = join(notes, 'first-model.failed')
  const attempt = `${wanted} ${folder}`
  if (!isAsked && isRecent(failed, attempt)) return
  const code = await runVisibly([join(root, 'scripts', 'stenobox.mjs'), 'models', 'setup', ...(isQuiet ? ['--quiet'] : [])])
  if (code === 0) return rmSync(failed, { force: true })
  mkdirSync(notes, { recursive: true })
  writeFileSync(failed, attempt)
}
