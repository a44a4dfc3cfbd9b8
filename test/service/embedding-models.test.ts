/** Embedding models besides the bundled one: fetched, added from a folder, used at once, and the library indexed again. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { createEmbedding } from '../../dist/engine/text/embedder.js'
import { listEmbedders, readEmbeddingFacts, STARTER_EMBEDDER } from '../../dist/engine/text/embedding-models.js'
import { createSearch } from '../../dist/service/search.js'
import { createLibrary } from '../../dist/store/library.js'
import { createLibrary as createModelLibrary, modelEntry, modelManifest } from '../support/model-library.ts'
import { messageOf, sha256Of } from '../support/model-server.ts'
import { openSteps } from '../support/steps.ts'
import { nameOf } from '../support/store.ts'

const STARTER = STARTER_EMBEDDER.folder
const FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json']
const WEIGHTS = 'onnx/model_quantized.onnx'
const addition = (name: string) => ({ name, kind: 'whisper' as const, licence: 'Apache-2.0', use: [] })

/** A test with another folder: `t.testdir` empties the one that it gave before. */
function besides (t: Test): Test {
  const testdir = ({ models = {} }: { models?: Record<string, string> } = {}) => {
    const dir = mkdtempSync(join(tmpdir(), 'embedding-'))
    mkdirSync(join(dir, 'models'))
    for (const [name, text] of Object.entries(models)) writeFileSync(join(dir, 'models', name), text)
    t.teardown(() => { rmSync(dir, { recursive: true, force: true }) })
    return dir
  }
  return { ...t, teardown: t.teardown.bind(t), testdir } as unknown as Test
}

/** A copy of the bundled embedder, with a name in its configuration if one is given. */
function copyStarter (to: string, name?: string): string {
  cpSync(STARTER, to, { recursive: true })
  const path = join(to, 'config.json')
  if (name !== undefined) writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')) as object, _name_or_path: name }))
  return to
}

function published (name: string) {
  const factsOf = (file: string) => {
    const bytes = readFileSync(join(STARTER, file))
    return { bytes: bytes.length, sha256: sha256Of(bytes) }
  }
  return modelEntry(name, {
    kind: 'embedding', file: `${name}/${WEIGHTS}`, ...factsOf(WEIGHTS),
    parts: FILES.map((file) => ({ file: `${name}/${file}`, ...factsOf(file) })),
    embedding: { dimensions: 384, maxTokens: 256, prefixes: { query: 'query: ', passage: 'passage: ' }, floor: 0.7 }
  })
}

t.test('a folder is tried, installed, and used from then on', async (t) => {
  const { dir, library, models, watcher, said } = createModelLibrary(t, modelManifest([]))
  const folder = copyStarter(`${dir}/../folder`, 'someone/tiny-e5-model')
  const embedding = createEmbedding(() => listEmbedders(models))
  t.teardown(async () => { await embedding.close() })
  t.equal(embedding.current()?.model.id, STARTER_EMBEDDER.id)
  await library.add(folder, addition('tiny'), watcher)
  t.match(said.at(-1), /^tiny is installed: .* It is an embedding model \(384 dimensions\)\. Search uses it from now on/)
  const model = embedding.current()?.model
  t.match(model, { id: /^tiny-[0-9a-f]{8}$/, dimensions: 384, maxTokens: 510, floor: 0.7 })
  t.match((await library.list()).models[0], { name: 'tiny', kind: 'embedding', state: 'installed', makesVectors: true })
  t.match(await messageOf(library.exportTo(['tiny'], `${dir}/../x.tar`, watcher)), /copy that folder/)

  await t.test('a damaged part is found, and the model is not used then', async (t) => {
    writeFileSync(`${dir}/added/tiny/tokenizer.json`, readFileSync(join(folder, 'tokenizer.json'), 'utf8').replace('[UNK]', '[UNG]'))
    t.equal(embedding.current()?.model.id, STARTER_EMBEDDER.id)
    const verdicts = []
    for await (const verdict of library.verify(['tiny'])) verdicts.push(verdict)
    t.match(verdicts, [{ ok: false, detail: /tokenizer\.json does not match/ }])
  })

  await library.remove(['tiny'])
  t.notOk(existsSync(`${dir}/added/tiny`))
  t.equal(embedding.current()?.model.id, STARTER_EMBEDDER.id)
})

t.test('what cannot be an embedding model is refused, and nothing is installed', async (t) => {
  const { dir, library, models, watcher } = createModelLibrary(t, modelManifest([]))
  const broken = copyStarter(`${dir}/../broken`)
  writeFileSync(join(broken, WEIGHTS), 'not weights')
  t.match(await messageOf(library.add(broken, addition('broken'), watcher)), /the model cannot be used: .*cannot be loaded/)
  const other = copyStarter(`${dir}/../other`)
  writeFileSync(join(other, 'config.json'), '{}')
  t.match(await messageOf(library.add(other, addition('other'), watcher)), /not the configuration of an embedding model/)
  t.strictSame(models.listEmbeddingModels(), [])
  t.notOk(existsSync(`${dir}/added`))
})

t.test('weights of the manifest get its name, and travel in an archive with their parts', async (t) => {
  const entry = published('known')
  const MANIFEST = { ...modelManifest([]), models: [entry] }
  const { dir, library, models, watcher, said } = createModelLibrary(t, MANIFEST)
  await library.add(copyStarter(`${dir}/../folder`), addition('mine'), watcher)
  t.match(said.at(-1), /weights of known from the manifest/)
  t.match(listEmbedders(models), [{ id: `known-${entry.sha256?.slice(0, 8)}`, prefixes: { query: 'query: ' }, dtype: 'q8' }])
  const altered = copyStarter(`${dir}/../altered`, 'other')
  t.match(await messageOf(library.add(altered, addition('mine'), watcher)), /config\.json is missing or not the published file/)

  const archived = `${besides(t).testdir()}/x.tar`
  const sha256 = await library.exportTo(['known'], archived, watcher)
  const there = createModelLibrary(besides(t), MANIFEST)
  async function * archive () { yield readFileSync(archived) }
  await there.library.importFrom(archive(), sha256, watcher)
  t.equal(listEmbedders(there.models).length, 1)
  for (const file of FILES) t.ok(existsSync(`${there.dir}/known/${file}`))
})

t.test('the configuration says what kind of model it is', async (t) => {
  const dir = t.testdir()
  const write = (more: object) => { writeFileSync(join(dir, 'config.json'), JSON.stringify({ hidden_size: 768, ...more })) }
  write({ max_position_embeddings: 514, _name_or_path: 'intfloat/multilingual-e5-base' })
  t.strictSame(await readEmbeddingFacts(dir), {
    dimensions: 768, maxTokens: 512, prefixes: { query: 'query: ', passage: 'passage: ' }, floor: 0.7
  })
  write({ _name_or_path: 'someone/note5-model' })
  t.match(await readEmbeddingFacts(dir), { prefixes: { query: '', passage: '' }, floor: undefined })
})

t.test('another model: the library is indexed again in the background, and search goes on', async (t) => {
  const { dir, library: modelLibrary, models, watcher } = createModelLibrary(t, modelManifest([]))
  const embedding = createEmbedding(() => listEmbedders(models))
  t.teardown(async () => { await embedding.close() })
  const steps = await openSteps(besides(t), { chooseEmbedder: embedding.current })
  const library = createLibrary(steps.db)
  const search = createSearch({
    library: { listModels: async () => library.listModels(), find: async (query) => library.find(query) },
    embedderOf: embedding.find, jobs: steps.jobs, log: { info () {}, warn () {}, error () {} }
  })
  const texts = ['The harbour authority ordered new cranes for the docks.', 'Her grandmother baked bread with rye flour every Friday.']
  for (const text of texts) {
    const jobId = steps.addDecodedJob('owner', 1, { fileName: nameOf('talk.mp3') })
    const claim = steps.claimWindow()
    if (!claim) throw new Error('no window')
    const words = text.split(' ').map((word, index) =>
      ({ text: ` ${word}`, startMs: 500 * index, endMs: 500 * (index + 1), probability: 1 }))
    steps.inTransaction(() => {
      steps.jobs.setDecoded(jobId, 60_000, 0)
      steps.transcripts.insertWindow(jobId, 0, [{ startMs: 0, endMs: 500 * words.length, text: ` ${text}`, words }])
      steps.finishWindow(claim)
      steps.stages.transcribed(claim)
    })
    await steps.completeAll()
  }
  const ownerId = steps.apiKeys.ensureOwner('owner', 0)
  const find = async () => (await search.rank(ownerId, { query: 'machines for unloading ships' })).ranked.map(({ candidate }) => candidate)

  await modelLibrary.add(copyStarter(`${dir}/../folder`), addition('second'), watcher)
  steps.indexing.sweep()
  const states: string[][] = []
  for (;;) {
    const [best] = await find()
    t.match(best?.text, /cranes/, `found with ${library.listModels().join(' and ')}`)
    states.push(library.listModels())
    const claim = steps.indexing.claim()
    if (!claim) break
    await steps.indexing.index(claim, new AbortController().signal)
  }
  const id = embedding.current()?.model.id ?? ''
  t.match(id, /^second-/)
  t.strictSame(states.map((names) => names.length), [1, 2, 1], 'first the old model, then both, then the new one')
  t.strictSame(states.at(-1), [id])
  steps.indexing.sweep()
  t.equal(steps.indexing.claim(), undefined, 'nothing is left to do')
})
