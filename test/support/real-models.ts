/** Real weights, if set-up has installed them: `STENOBOX_MODEL=base node scripts/setup.mjs --model`. */
import { resolve } from 'node:path'
import { createModels } from '../../dist/engine/models/models.js'
import type { InstalledModel } from '../../dist/engine/models/models.js'

export const REAL_MODELS = resolve(process.env['STENOBOX_MODELS_DIR'] || 'models')

const models = createModels(REAL_MODELS)
await models.prepare()

/** An installed model whose digest is right. */
export function findRealModel (name: string): InstalledModel | undefined {
  return models.listInstalled().find((model) => model.entry.name === name && models.inspect(model).state === 'right')
}

/** For the test option `skip`: false, or the reason it cannot run here. */
export const whyWithout = (name: string): string | false =>
  findRealModel(name) ? false : `${name} is not installed in ${REAL_MODELS}: STENOBOX_MODEL=${name} node scripts/setup.mjs --model`
