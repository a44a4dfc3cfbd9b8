/** `stenobox models`: fetches, exports, imports, checks and removes models, whether or not the server is running. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { createReadStream, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '../config.js'
import { STT_QUALITIES } from '../domain/job.js'
import type { SttQuality } from '../domain/job.js'
import { formatBytes } from '../domain/download-progress.js'
import type { ModelView, SetView } from '../service/model-catalogue.js'
import type { ModelLibrary } from '../service/model-library.js'
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
  const writes = model.makesArtifacts ? ['artifacts (now)'] : []
  const tells = model.tellsSpeakers ? ['speakers (now)'] : []
  const embeds = model.makesVectors ? ['search (now)'] : []
  const others = model.usedFor.filter((quality) => !model.qualities.includes(quality)).map((quality) => `${quality} (now)`)
  return [
    model.state === 'absent' ? '-' : model.state, model.name, sizeOf(model), model.licence, model.kind,
    model.languages?.join(' ') ?? 'many languages', [...uses, ...others, ...writes, ...tells, ...embeds].join(', ') || '-', model.note ?? ''
  ]
}

const toSetRow = (set: SetView): string[] => [
  set.installed ? 'installed' : '-',
  `set:${set.name}`,
  formatBytes(set.bytes),
  set.licences.join(', '),
  set.models.join(' '),
  set.for
]

/** Pads columns to their widest cell. */
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
      console.log(`not used, because it is in no manifest: ${path}\n  to add it: npx stenobox models add ${path} --name NAME`)
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

/** Hidden; set-up runs it on the first start. Exit code 1 when a real model was wanted but only the starter is installed. */
async function setUp ({ quiet }: { quiet?: true }): Promise<void> {
  const config = readConfig()
  const view = quiet ? SILENT : createTransferView(process.stderr, console.error)
  try {
    const result = await withLibrary(async (library) => await library.setUp(config.firstModel, view))
    view.clear()
    const isExpected = result === 'real' || config.firstModel === 'none'
    if (!isExpected) console.error(frame(starterNotice('STENOBOX_MODEL=starter asks for it.')))
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
  if (toStdout && process.stdout.isTTY) {
    throw new Error('an archive cannot be shown on a terminal: write it to a file with -o FILE, or pipe it into another program')
  }
  if (!toStdout && !statSync(dirname(output), { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`there is no folder ${dirname(output)}; create it first`)
  }
  const view = createTransferView(process.stderr, console.error)
  try {
    const sha256 = await withLibrary(async (library) => await library.exportTo(names, toStdout ? process.stdout : output, view))
    view.clear()
    // In the format of sha256sum.
    if (toStdout) console.error(`${sha256}  -`)
    else console.log(`${sha256}  ${output}`)
  } finally {
    view.clear()
  }
}

/** Throws an Error with advice if the file is not an archive. */
async function requireArchive (file: string): Promise<void> {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (!facts) throw new Error(`there is no file ${file}`)
  const { recogniseModel } = await import('../model-tools.js')
  const isModel = await recogniseModel(file).then(() => true, () => false)
  if (isModel) throw new Error(`${file} is a model, not an archive of models; to install it: npx stenobox models add ${file} --name NAME`)
  if (!facts.isFile()) throw new Error(`${file} is not an archive written by \`stenobox models export\``)
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
  throw new InvalidArgumentError(
    'Give up to 100 lower-case letters, digits, dots, dashes and underscores. The first must be a letter or a digit.'
  )
}

function parseLanguages (text: string): string[] {
  const codes = text.split(/[\s,]+/).filter(Boolean)
  if (codes.length === 0 || codes.some((code) => !/^[a-z]{2,3}$/.test(code))) throw new InvalidArgumentError('Give codes such as de,fr.')
  return codes
}

function parseUse (text: string): SttQuality[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim())
  const found = names.map((name) => STT_QUALITIES.find((quality) => quality === name))
  if (!found.every((quality) => quality !== undefined)) throw new InvalidArgumentError(`Give some of ${STT_QUALITIES.join(',')}, or none.`)
  return found
}

async function importModels (file: string, { sha256 }: { sha256?: string }): Promise<void> {
  if (file !== '-') await requireArchive(file)
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
  if (/^[0-9a-f]{64}$/i.test(text)) return text
  throw new InvalidArgumentError('Give 64 hexadecimal digits, as stenobox models export has printed them.')
}

export function modelsCommand (): Command {
  const models = new Command('models').description('models: fetch, carry to offline machines, check, remove')
  const what = 'models, or sets as set:NAME'
  models.command('list').description('list all models and sets').option('--json', 'as JSON').action(list)
  models.command('pull').description('fetch models (resuming if possible) and verify them').argument('<names...>', what).action(pull)
  models.command('setup', { hidden: true }).description('install the model of a first start').option('--quiet').action(setUp)
  models.command('add').description('add a model that is in no manifest, after testing it')
    .argument('<path>', 'a ggml, GGUF or ONNX file, or a folder of faster-whisper or of an embedding model; see docs/models.md')
    .requiredOption('--name <name>', 'its name', parseName)
    .option('--languages <codes>', 'languages it is for, such as de,fr (default: all)', parseLanguages)
    .option('--use <qualities>', 'qualities that prefer it: some of fast,balanced,accurate, or none', parseUse, [...STT_QUALITIES])
    .option('--licence <text>', 'its licence, shown in lists', 'unknown')
    .addOption(new Option('--kind <kind>', 'what decodes it').choices(['whisper', 'parakeet']).default('whisper'))
    .action(add)
  models.command('export').description('write installed models to a tar file and print its SHA-256').argument('<names...>', what)
    .requiredOption('-o, --output <file>', 'the tar to write; - is stdout').action(exportModels)
  models.command('import').description('install the models in an exported tar file, all or none').argument('<file>', 'the tar; - is stdin')
    .option('--sha256 <hex>', 'the SHA-256 that export printed', parseSha256).action(importModels)
  models.command('verify').description('check installed models against the manifest and pins').argument('[names...]', what).action(verify)
  models.command('remove').description('delete models').argument('<names...>', what).action(remove)
  return models
}
