/** `stenobox models`: fetch, carry, check and remove models; the server may run or not. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { createReadStream, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '../config.js'
import { STT_QUALITIES } from '../domain/job.js'
import type { SttQuality } from '../domain/job.js'
import { formatBytes } from '../domain/download-progress.js'
import type { ModelLibrary, ModelView, SetView } from '../service/model-library.js'
import { frame, starterNotice } from './frame.js'
import { createTransferView } from './transfer-view.js'

async function withLibrary<T> (work: (library: ModelLibrary) => Promise<T>): Promise<T> {
  const { createModelTools } = await import('../model-tools.js')
  const tools = createModelTools(readConfig())
  try {
    return await work(tools.library)
  } finally {
    await tools.close()
  }
}

const sizeOf = ({ bytes, approximateBytes }: ModelView): string => {
  if (bytes !== undefined) return formatBytes(bytes)
  return approximateBytes === undefined ? 'size unknown' : `about ${formatBytes(approximateBytes)}`
}

function toRow (model: ModelView): string[] {
  const uses = model.qualities.map((quality) => model.usedFor.includes(quality) ? `${quality} (now)` : quality)
  const others = model.usedFor.filter((quality) => !model.qualities.includes(quality)).map((quality) => `${quality} (now)`)
  return [
    model.state === 'absent' ? '-' : model.state, model.name, sizeOf(model), model.licence, model.kind,
    model.languages?.join(' ') ?? 'many languages', [...uses, ...others].join(', ') || '-', model.note ?? ''
  ]
}

const toSetRow = (set: SetView): string[] => [set.installed ? 'installed' : '-', `set:${set.name}`, formatBytes(set.bytes), set.licences.join(', '), set.models.join(' '), set.for]

/** Columns as wide as their widest cell. */
function alignRows (rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd())
}

async function list (options: { json?: true }): Promise<void> {
  await withLibrary(async (library) => {
    const { models, sets, unlisted } = await library.list()
    if (options.json) return console.log(JSON.stringify({ models, sets, unlisted }))
    for (const line of alignRows(models.map(toRow))) console.log(line)
    if (sets.length > 0) console.log('')
    for (const line of alignRows(sets.map(toSetRow))) console.log(line)
    if (unlisted.length > 0) console.log('')
    for (const path of unlisted) {
      console.log(`not used, because no manifest knows it: ${path}\n  to add it: npx stenobox models add ${path} --name NAME`)
    }
  })
}

async function pull (names: string[]): Promise<void> {
  const view = createTransferView(process.stderr, console.log)
  try {
    await withLibrary(async (library) => { await library.pull(names, view) })
  } finally {
    view.clear()
  }
}

const SILENT = { begin () {}, progress () {}, note () {}, end () {}, clear () {} }

/** Hidden: what set-up runs on the first start. Exit code 1 when a real model was wanted and only the starter is there. */
async function setUp ({ quiet }: { quiet?: true }): Promise<void> {
  const config = readConfig()
  const view = quiet ? SILENT : createTransferView(process.stderr, console.error)
  try {
    const result = await withLibrary(async (library) => await library.setUp(config.firstModel, view))
    view.clear()
    const isMeant = result === 'real' || config.firstModel === 'none'
    if (!isMeant) console.error(frame(starterNotice('It was asked for by STENOBOX_MODEL=starter.')))
  } catch (error) {
    view.clear()
    console.error(frame(starterNotice(`No real model could be installed: ${error instanceof Error ? error.message : String(error)}.`)))
    process.exitCode = 1
  } finally {
    view.clear()
  }
}

async function exportModels (names: string[], { output }: { output: string }): Promise<void> {
  const toStdout = output === '-'
  if (toStdout && process.stdout.isTTY) throw new Error('an archive is no text: send it to a file with -o FILE, or into another program')
  if (!toStdout && !statSync(dirname(output), { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${dirname(output)}`)
  const view = createTransferView(process.stderr, console.error)
  try {
    const sha256 = await withLibrary(async (library) => await library.exportTo(names, toStdout ? process.stdout : output, view))
    view.clear()
    // As sha256sum writes and checks it.
    if (toStdout) console.error(`${sha256}  -`)
    else console.log(`${sha256}  ${output}`)
  } finally {
    view.clear()
  }
}

/** Throws an Error that says what to do with a file that is no archive. */
async function refuseNoArchive (file: string): Promise<void> {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (!facts) throw new Error(`there is no file ${file}`)
  const { recogniseModel } = await import('../model-tools.js')
  const isModel = await recogniseModel(file).then(() => true, () => false)
  if (isModel) throw new Error(`${file} is a model and no archive of models; to install it: npx stenobox models add ${file} --name NAME`)
  if (!facts.isFile()) throw new Error(`${file} is no archive of models, which is a file that \`stenobox models export\` wrote`)
}

type AddOptions = { name: string, languages?: string[], licence: string, use: SttQuality[], kind: 'whisper' | 'parakeet' }

async function add (given: string, options: AddOptions): Promise<void> {
  const view = createTransferView(process.stderr, console.log)
  try {
    await withLibrary(async (library) => { await library.add(given, options, view) })
  } finally {
    view.clear()
  }
}

function parseName (text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,99}$/.test(text)) return text
  throw new InvalidArgumentError('a name is small letters, digits, dots, dashes and underscores')
}

function parseLanguages (text: string): string[] {
  const codes = text.split(/[\s,]+/).filter(Boolean)
  if (codes.length === 0 || codes.some((code) => !/^[a-z]{2,3}$/.test(code))) throw new InvalidArgumentError('codes like de,fr')
  return codes
}

function parseUse (text: string): SttQuality[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim())
  const found = names.map((name) => STT_QUALITIES.find((quality) => quality === name))
  if (!found.every((quality) => quality !== undefined)) throw new InvalidArgumentError(`some of ${STT_QUALITIES.join(',')}, or none`)
  return found
}

async function importModels (file: string, { sha256 }: { sha256?: string }): Promise<void> {
  if (file !== '-') await refuseNoArchive(file)
  const view = createTransferView(process.stderr, console.error)
  try {
    const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1024 * 1024 })
    const names = await withLibrary(async (library) => await library.importFrom(source as AsyncIterable<Buffer>, sha256, view))
    view.clear()
    for (const name of names) console.log(`${name} is installed`)
  } finally {
    view.clear()
  }
}

async function verify (names: string[]): Promise<void> {
  await withLibrary(async (library) => {
    let count = 0
    for await (const { name, ok, detail } of library.verify(names)) {
      count++
      console.log(`${ok ? 'ok  ' : 'FAIL'}  ${name}: ${detail}`)
      if (!ok) process.exitCode = 1
    }
    if (count === 0) console.log('no model is installed')
  })
}

async function remove (names: string[]): Promise<void> {
  for (const sentence of await withLibrary(async (library) => await library.remove(names))) console.log(sentence)
}

function parseSha256 (text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new InvalidArgumentError('a SHA-256 is 64 hexadecimal digits')
  return text
}

export function modelsCommand (): Command {
  const models = new Command('models').description('speech models: fetch, carry to machines without a network, check, remove')
  const what = 'models, or sets as set:NAME'
  models.command('list').description('every model and set of the manifest').option('--json', 'as JSON').action(list)
  models.command('pull').description('fetch models, or go on with it, and verify them').argument('<names...>', what).action(pull)
  models.command('setup', { hidden: true }).description('install the model of a first start').option('--quiet').action(setUp)
  models.command('add').description('add a model that no manifest knows, tried on a sound first; it is used from then on')
    .argument('<path>', 'a ggml file of any name, or a folder as faster-whisper uses it')
    .requiredOption('--name <name>', 'what to call it', parseName)
    .option('--languages <codes>', 'the languages it is for, like de,fr; without it, all', parseLanguages)
    .option('--use <qualities>', 'where it comes before all others: some of fast,balanced,accurate, or none', parseUse, [...STT_QUALITIES])
    .option('--licence <text>', 'its licence, shown in lists', 'unknown')
    .addOption(new Option('--kind <kind>', 'what decodes it').choices(['whisper', 'parakeet']).default('whisper'))
    .action(add)
  models.command('export').description('write installed models into one tar, and print its SHA-256').argument('<names...>', what)
    .requiredOption('-o, --output <file>', 'where to; - is stdout').action(exportModels)
  models.command('import').description('install the models of such a tar, all or none').argument('<file>', 'the tar; - is stdin')
    .option('--sha256 <hex>', 'what export printed', parseSha256).action(importModels)
  models.command('verify').description('check installed models against the manifest and what was pinned').argument('[names...]', what).action(verify)
  models.command('remove').description('delete models').argument('<names...>', what).action(remove)
  return models
}
