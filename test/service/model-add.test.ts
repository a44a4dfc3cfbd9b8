import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Test } from 'tap'
import { packModels } from '../../dist/engine/models/archive.js'
import { makeVariables, packVariables, writeCt2Folder } from '../support/ct2.ts'
import { makeTinyModel } from '../support/gguf.ts'
import { createLibrary, modelEntry, modelManifest } from '../support/model-library.ts'
import { messageOf, sha256Of } from '../support/model-server.ts'
import { flipBits, readStarter } from '../support/models.ts'
import { STARTER_MODEL } from '../support/paths.ts'
import { writeCamPlus, writeSegmentation } from '../support/speaker-models.ts'

const starter = modelEntry('starter', {
  file: 'starter/ggml-starter-q5_0.bin', bundled: true, languages: ['en'], sha256: sha256Of(readStarter())
})
const MANIFEST = modelManifest([starter, modelEntry('a')])
/** A bit in the last weights: another model, which works as well. */
const TUNED = flipBits(readStarter(), [12_376_832])
const addition = (name: string, more: object = {}) =>
  ({ name, kind: 'whisper' as const, licence: 'none', use: ['fast', 'balanced', 'accurate'] as const, ...more })

/** `isTried`: by the real speech library, which takes a second; else every file passes. */
function setUp (t: Test, { isTried = false } = {}) {
  const made = createLibrary(t, MANIFEST, { files: { 'a.bin': 'x' }, ...(isTried ? {} : { tryModel: async () => {} }) })
  const tuned = `${made.dir}/../tuned.whatever`
  writeFileSync(tuned, TUNED)
  return { ...made, tuned }
}

t.test('a ggml file of any name is tried, listed, and used from then on for its languages', async (t) => {
  const { dir, library, models, watcher, said, tuned } = setUp(t, { isTried: true })
  await library.add(tuned, addition('court-de', { languages: ['de'] }), watcher)
  t.match(
    said.at(-1),
    /^court-de is installed: 12376833 bytes, SHA-256 [0-9a-f]{64}\. It is the first choice for fast, balanced, accurate, for de$/
  )
  for (const quality of ['fast', 'balanced', 'accurate'] as const) {
    t.match(models.choose(quality, 'de'), { name: 'court-de', isStarter: false, path: `${dir}/added/court-de.bin` })
  }
  t.match(models.choose('fast', 'en'), { name: 'a' }, 'other languages go elsewhere')
  t.match(models.choose('fast'), { name: 'a' }, 'and so does a recording of unknown language')
  t.equal(models.needsLanguage('fast'), true)
  t.match((await library.list()).models[0], {
    name: 'court-de', state: 'installed', added: true, usedFor: [], qualities: ['fast', 'balanced', 'accurate']
  })
  const verdicts = []
  for await (const verdict of library.verify(['court-de'])) verdicts.push(verdict)
  t.strictSame(verdicts, [{ name: 'court-de', ok: true, detail: 'SHA-256 as when it was added' }])
  t.match(
    await messageOf(library.add(tuned, addition('court-de'), watcher)),
    /a model named court-de already exists; .* stenobox models remove court-de$/
  )
  await library.remove(['court-de'])
  t.notOk(existsSync(`${dir}/added/court-de.bin`))
  t.match(models.choose('fast', 'de'), { name: 'a' })
})

t.test('without languages it is used for all, and `use` says where', async (t) => {
  const { library, models, watcher, tuned } = setUp(t)
  await library.add(tuned, addition('own', { use: ['accurate'] }), watcher)
  t.match([models.choose('fast'), models.choose('accurate')], [{ name: 'a' }, { name: 'own' }])
  t.equal(models.needsLanguage('accurate'), false)
})

t.test('a folder of faster-whisper is converted; the heads of its config time words', async (t) => {
  const { dir, library, models, watcher } = setUp(t, { isTried: true })
  const folder = writeCt2Folder(`${dir}/../faster`)
  await library.add(folder, addition('small-own'), watcher)
  t.match(models.choose('fast'), { name: 'small-own', alignmentHeads: [[0, 0]], path: `${dir}/added/small-own.bin` })
  t.match(
    await messageOf(library.add(`${folder}/model.bin`, addition('again'), watcher)), /weights of small-own|it worked/,
    'its file names the folder'
  )
})

t.test('weights that the manifest knows are installed under its name', async (t) => {
  const known = modelEntry('known', { sha256: sha256Of(TUNED) })
  const { dir, library, watcher, said } = createLibrary(t, modelManifest([starter, known]))
  writeFileSync(`${dir}/../x.bin`, TUNED)
  await library.add(`${dir}/../x.bin`, addition('mine'), watcher)
  t.match(said.at(-1), /these are the weights of known from the manifest/)
  t.ok(readFileSync(`${dir}/known.bin`).equals(TUNED))
})

t.test('a file in the models directory is named, and stays where it is when it is added', async (t) => {
  const { dir, library, models, watcher, tuned } = setUp(t)
  copyFileSync(tuned, `${dir}/lost.bin`)
  t.strictSame((await library.list()).unlisted, [`${dir}/lost.bin`])
  await library.add(`${dir}/lost.bin`, addition('found'), watcher)
  t.match(models.choose('fast'), { name: 'found', path: `${dir}/lost.bin` })
  t.strictSame((await library.list()).unlisted, [])
})

t.test('what cannot be used is refused with advice, and leaves nothing', async (t) => {
  const { dir, library, watcher, left } = setUp(t, { isTried: true })
  const root = `${dir}/..`
  const before = left()
  writeFileSync(`${root}/broken.bin`, TUNED.subarray(0, 5_000_000))
  writeFileSync(`${root}/model.pt`, Buffer.from('504b0304000000', 'hex'))
  writeFileSync(`${root}/text.bin`, 'hello')
  writeFileSync(`${root}/x.gguf`, 'GGUF')
  for (const [folder, file] of [['hf', 'model.safetensors'], ['empty', 'readme.txt']] as const) {
    mkdirSync(`${root}/${folder}`)
    writeFileSync(`${root}/${folder}/${file}`, 'x')
  }
  const variables = makeVariables()
  writeCt2Folder(
    `${root}/int8`,
    packVariables({ ...variables, 'encoder/conv1/weight': { dimensions: [64, 80, 3], type: 1, bytes: Buffer.alloc(64 * 80 * 3) } })
  )
  writeCt2Folder(`${root}/other`, packVariables(variables, { specification: 'TransformerSpec' }))
  for (const [path, message] of [
    ['broken.bin', /^ModelError: the model cannot be used: /],
    ['model.pt', /seems to be a PyTorch checkpoint; turn it into a ggml file/],
    ['text.bin', /is neither a ggml file, nor a faster-whisper folder, nor a GGUF file/],
    ['x.gguf', /^ModelError: the model cannot be used: the language model cannot be loaded: it is not a GGUF file, or a damaged one/],
    [
      'hf',
      /is a transformers checkpoint; convert it first .*ct2-transformers-converter --model .*hf --output_dir OUT --quantization float16/
    ],
    ['empty', /holds no model/],
    ['int8', /quantised to int8, .*--quantization float16/],
    ['other', /a different architecture \("TransformerSpec"\)/],
    ['missing', /there is no file or folder/]
  ] as const) t.match(await messageOf(library.add(`${root}/${path}`, addition('new'), watcher)), message, path)
  t.match(await messageOf(library.add(`${root}/text.bin`, addition('a'), watcher)), /ModelError/)
  t.match(
    await messageOf(library.add(STARTER_MODEL, addition('mine'), watcher)),
    /^ModelError: these are the weights of starter, which comes with the program$/
  )
  t.strictSame(left().filter((name) => name !== 'models.local.json' && !name.startsWith('added')), before)
})

t.test('a GGUF file is a language model: it transcribes nothing, and makes artifacts', async (t) => {
  const { dir, library, models, watcher, said } = setUp(t)
  writeFileSync(`${dir}/../words.gguf`, makeTinyModel())
  await library.add(`${dir}/../words.gguf`, addition('words', { licence: 'unknown' }), watcher)
  t.match(said.at(-1), /^words is installed: \d+ bytes, SHA-256 [0-9a-f]{64}\. It is a language model \(llama\) and makes summaries/)
  t.match(models.choose('fast'), { name: 'a' })
  t.match(models.chooseLanguageModel(), { entry: { name: 'words', kind: 'llm' }, path: `${dir}/added/words.gguf` })
  t.match((await library.list()).models[0], {
    name: 'words', state: 'installed', licence: 'Apache-2.0', qualities: [], usedFor: [], makesArtifacts: true
  })
  await library.exportTo(['words'], `${dir}/words.tar`, watcher)
  const archive = readFileSync(`${dir}/words.tar`)
  await library.remove(['words'])
  t.equal(models.chooseLanguageModel(), undefined)
  const other = createLibrary(t, MANIFEST)
  t.strictSame(await other.library.importFrom(Readable.from([archive]), undefined, watcher), ['words'])
  t.match(other.models.chooseLanguageModel(), { entry: { name: 'words' } })
})

t.test('it goes into an archive and out of it, with all that is known of it', async (t) => {
  const { dir, library, watcher, tuned } = setUp(t)
  await library.add(tuned, addition('court-de', { languages: ['de'], use: ['fast'] }), watcher)
  await library.exportTo(['court-de'], `${dir}/../models.tar`, watcher)
  const tar = readFileSync(`${dir}/../models.tar`)
  const to = createLibrary(t, MANIFEST)
  async function * bytes () { yield tar }
  t.strictSame(await to.library.importFrom(bytes(), undefined, to.watcher), ['court-de'])
  t.match(to.models.choose('fast', 'de'), { name: 'court-de', languages: ['de'] })
  t.match(to.models.choose('balanced', 'de'), { name: 'court-de' }, 'the only real one')
})

t.test('an archive cannot put a model in the place of a list, or of another model', async (t) => {
  const { dir, library, models, watcher, tuned } = setUp(t)
  const entry = { name: 'evil', kind: 'whisper' as const, bytes: TUNED.length, sha256: sha256Of(TUNED), licence: 'none' }
  for (const [path, message] of [
    ['manifest.json', /contradicts itself about evil/],
    ['models.local.json', /contradicts itself about evil/],
    ['deep/er.bin', /contradicts itself about evil/],
    ['a.bin', /would overwrite a with evil$/]
  ] as const) {
    const local = { entry: { ...entry, file: path }, use: [] }
    const file = { name: 'evil', path, bytes: entry.bytes, sha256: entry.sha256, licence: 'none', local }
    t.match(await messageOf(library.importFrom(packModels([{ file, path: tuned }]), undefined, watcher)), message, path)
  }
  t.equal(readFileSync(`${dir}/a.bin`, 'utf8'), 'x')
  t.strictSame(models.local.list(), [])
})

t.test('a file with a wrong digest is not used, and every command reports it', async (t) => {
  const { dir, library, models, watcher, tuned } = setUp(t)
  await library.add(tuned, addition('own'), watcher)
  t.match(models.choose('fast'), { name: 'own' })
  writeFileSync(`${dir}/added/own.bin`, flipBits(TUNED, [9_000_000]))
  t.match(models.choose('fast'), { name: 'a' }, 'the engine')
  t.match((await library.list()).models[0], { name: 'own', state: 'damaged', installed: false }, 'the list')
  const verdicts = []
  for await (const verdict of library.verify(['own'])) verdicts.push(verdict)
  t.match(verdicts, [{ ok: false, detail: /damaged or a different file/ }])
  writeFileSync(`${dir}/added/own.bin`, TUNED)
  t.match(models.choose('fast'), { name: 'own' }, 'and when it is right again it is used again')
})

t.test('speaker models are tried, listed, and used when both kinds are there', async (t) => {
  const { dir, library, models, watcher, said } = setUp(t)
  for (const [name, bytes] of Object.entries({ voices: writeCamPlus(), segments: writeSegmentation() })) {
    writeFileSync(`${dir}/../${name}.onnx`, bytes)
    t.equal(models.chooseSpeakerModels(), undefined)
    await library.add(`${dir}/../${name}.onnx`, addition(name, { licence: 'MIT' }), watcher)
  }
  t.match(said.at(-1), /^segments is installed: .* It is a speaker-segmentation model, and is used from now on if a speaker-emb/)
  t.match(models.chooseSpeakerModels()?.map(({ entry }) => [entry.name, entry.file, entry.kind]),
    [['segments', 'added/segments.onnx', 'speaker-segmentation'], ['voices', 'added/voices.onnx', 'speaker-embedding']])
  t.match((await library.list()).models.filter(({ tellsSpeakers }) => tellsSpeakers).map(({ name }) => name), ['segments', 'voices'])
  writeFileSync(`${dir}/../text.onnx`, Buffer.from([8, 7, 6, 5, 4, 3]))
  const message = await messageOf(library.add(`${dir}/../text.onnx`, addition('text'), watcher))
  t.match(message, /the model cannot be used: the speaker model cannot be loaded/)
})
