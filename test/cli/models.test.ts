import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import type { ModelView, SetView } from '../../dist/service/model-catalogue.js'
import { runModule } from '../support/child.ts'
import { modelEntry, modelManifest } from '../support/model-library.ts'
import { makeBytes, serveBytes, sha1Of, sha256Of, startServer } from '../support/model-server.ts'
import { CLI } from '../support/paths.ts'
import { runCommand } from '../support/program.ts'
import type { Settings } from '../support/program.ts'

const BYTES = makeBytes(2_000_000)
const SETS = { small: { models: ['small', 'base'], for: 'small boxes' } }

/** The program over a models directory whose manifest knows `base` and `small`, with a mirror that has `base`. */
async function setUp (t: Test, more: Settings = {}) {
  const hub = await startServer(t, (seen, response) => {
    if (seen.url === '/x/base.bin') serveBytes(seen, response, BYTES)
    else response.writeHead(404).end()
  })
  const models = ['base', 'small'].map((name) =>
    modelEntry(name, { url: `https://huggingface.co/x/${name}.bin`, sha1: sha1Of(BYTES), bytes: BYTES.length, note: `note of ${name}` })
  )
  const root = t.testdir({
    models: { 'manifest.json': JSON.stringify(modelManifest(models, { sets: SETS })) },
    other: { 'manifest.json': JSON.stringify(modelManifest(models)) }
  })
  const settings = { STENOBOX_MODELS_DIR: `${root}/models`, STENOBOX_MODELS_URL: hub.url, ...more }
  return { root, hub, settings, run: async (...args: string[]) => await runCommand(`${root}/data`, ['models', ...args], settings) }
}

t.test('from pull to remove', async (t) => {
  const { root, run } = await setUp(t)
  const list = await run('list')
  t.match(list, {
    code: 0,
    stdout: /^-\s+base\s+1\.9 MiB\s+MIT\s+whisper\s+many languages\s+fast, accurate\s+note of base\n-\s+small/
  })
  t.match(list.stdout, /\n\n-\s+set:small\s+3\.8 MiB\s+MIT\s+small base\s+small boxes\n$/)
  const pulled = await run('pull', 'base')
  t.match(pulled, {
    code: 0,
    stdout: `base is installed: 2000000 bytes, SHA-256 ${sha256Of(BYTES)}\n`,
    stderr: /^base\nbase: \d+ % of 1\.9 MiB\n[^]*base: 100 % of 1\.9 MiB\n$/
  })
  t.notOk(pulled.stderr.includes('\r'), 'no bar where there is no terminal')
  const { models, sets } = JSON.parse((await run('list', '--json')).stdout) as { models: ModelView[], sets: SetView[] }
  t.match(models, [{ name: 'base', installed: true, usedFor: ['fast', 'balanced', 'accurate'] }, { name: 'small', installed: false }])
  t.match(sets, [{ name: 'small', installed: false, bytes: 4_000_000 }])
  t.match(await run('verify'), { code: 0, stdout: /^ok {4}base: SHA-1 as in the manifest, SHA-256 as pinned on \d{4}-\d\d-\d\d\n$/ })
  writeFileSync(`${root}/models/base.bin`, makeBytes(2_000_000))
  t.match(await run('verify'), { code: 1, stdout: /^FAIL {2}base: base\.bin does not match its published checksum/ })
  t.match(await run('verify', 'small'), { code: 1, stdout: 'FAIL  small: is not installed\n' })
  t.match(await run('remove', 'base', 'small'), { code: 0, stdout: 'base is removed\nsmall was not installed\n' })
  t.match(await run('verify'), { code: 0, stdout: 'no model is installed\n' })
  t.notOk(existsSync(`${root}/data`), 'the data directory is not touched')
})

t.test('a failure is one sentence and exit code 1', async (t) => {
  const { run, settings, root } = await setUp(t)
  for (const [args, message] of [
    [['pull', 'bass'], /^stenobox: there is no model or set "bass"; did you mean base\?\n$/],
    [['pull', 'small'], /^small\nstenobox: http:\/\/127[^ ]* is not there \(status 404\)\n$/],
    [['export', 'base', '-o', '/no/such/folder/x.tar'], /^stenobox: there is no folder \/no\/such\/folder; create it first\n$/],
    [['export', 'base', '-o', `${root}/x.tar`], /^stenobox: base is not installed; first: stenobox models pull base\n$/],
    [['import', '/no/such/file'], /^stenobox: there is no file \/no\/such\/file\n$/],
    [['import', '/dev/null', '--sha256', 'xyz'], /64 hexadecimal digits/]
  ] as const) t.match(await run(...args), { code: 1, stdout: '', stderr: message }, args.join(' '))
  const offline = await runCommand(`${root}/data`, ['models', 'pull', 'base'], { ...settings, STENOBOX_OFFLINE: 'true' })
  t.match(offline, { code: 1, stderr: /^stenobox: nothing is fetched while STENOBOX_OFFLINE is true/ })
})

t.test('a model can be piped to another box', async (t) => {
  const { root, run, settings } = await setUp(t)
  await run('pull', 'base')
  const env = { PATH: process.env['PATH'], ...settings }
  const exported = spawnSync(process.execPath, [CLI, 'models', 'export', 'base', '-o', '-'], { env, maxBuffer: 1e8 })
  t.match(exported.stderr.toString(), new RegExp(`${sha256Of(exported.stdout)} {2}-\\n$`))
  const importInto = (input: Buffer, ...more: string[]) =>
    spawnSync(process.execPath, [CLI, 'models', 'import', '-', ...more], {
      env: { ...env, STENOBOX_MODELS_DIR: `${root}/other`, STENOBOX_OFFLINE: 'true' },
      input,
      encoding: 'utf8'
    })
  const cut = importInto(exported.stdout.subarray(0, 1_000_000))
  t.match(cut, { status: 1, stdout: '', stderr: /stenobox: the archive is damaged or cut short\n$/ })
  t.notOk(existsSync(`${root}/other/base.bin`))
  t.match(importInto(exported.stdout, '--sha256', sha256Of(exported.stdout)), { status: 0, stdout: 'base is installed\n' })
  t.ok(readFileSync(`${root}/other/base.bin`).equals(BYTES))
  const file = `${root}/models.tar`
  t.match(await run('export', 'base', '-o', file), { code: 0, stdout: `${sha256Of(exported.stdout)}  ${file}\n` })
  t.strictSame(execFileSync('tar', ['-tf', file], { encoding: 'utf8' }), 'stenobox-models.json\nbase.bin\n', 'any tar reads it')
})

t.test('code that only `models` needs is not loaded by other commands', async (t) => {
  const child = runModule(t, `
    const { registerHooks } = await import('node:module')
    const urls = []
    registerHooks({ load: (url, context, next) => urls.push(url) && next(url, context) })
    const onlyForModels = /[/]modern-tar[/]|[/](models[/](download|archive)|model-(library|tools))[.]js$/
    const count = () => urls.filter((url) => onlyForModels.test(url)).length
    await dist('main.js')
    console.log(count())
    await dist('model-tools.js')
    console.log(count() >= 5)
  `)
  t.equal(await child.readLine(), '0', 'not by the server')
  t.equal(await child.readLine(), 'true', 'and the names are right')
})
