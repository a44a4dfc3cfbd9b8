import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { readManifest } from '../../../dist/engine/models/manifest.js'
import type { Manifest, ModelEntry } from '../../../dist/engine/models/manifest.js'
import { BUNDLED_MODELS_DIR, createModels } from '../../../dist/engine/models/models.js'
import { STARTER_MODEL } from '../../support/paths.ts'

const entry = (name: string, more: Partial<ModelEntry> = {}): ModelEntry => ({
  name,
  kind: 'whisper',
  file: `${name}.bin`,
  licence: 'MIT',
  ...more
})

function makeManifest (more: Partial<Manifest> = {}): Manifest {
  return {
    version: 1,
    quality: {
      fast: { models: ['small', 'large'], decoding: { beamSize: 1, bestOf: 1 } },
      balanced: { models: ['large', 'small'], decoding: { beamSize: 5 } },
      accurate: { models: ['huge'], decoding: {} }
    },
    models: [
      entry('other'),
      entry('small', { bytes: 5 }),
      entry('large', { decoding: { temperatureStep: 0.4, beamSize: 3 } }),
      entry('huge')
    ],
    ...more
  }
}

/** A models directory with this manifest and these files. */
function modelsDir (t: Test, manifest: unknown, files: Record<string, string> = {}): string {
  return t.testdir({ 'manifest.json': JSON.stringify(manifest), ...files })
}

t.test('the best installed model of a quality is chosen', async (t) => {
  const dir = modelsDir(t, makeManifest(), { 'small.bin': '12345', 'large.bin': 'x', 'other.bin': 'x' })
  const models = createModels(dir)
  t.match(models.choose('fast'), { name: 'small', path: `${dir}/small.bin` })
  t.match(models.choose('balanced'), { name: 'large', path: `${dir}/large.bin` })
})

t.test('when the wanted ones are missing, the next is taken, and at last any', async (t) => {
  const models = createModels(modelsDir(t, makeManifest(), { 'small.bin': '12345' }))
  t.match(models.choose('balanced'), { name: 'small' })
  t.match(models.choose('accurate'), { name: 'small' })
})

t.test('when none is installed there is none', async (t) => {
  const models = createModels(modelsDir(t, makeManifest()))
  t.equal(models.choose('fast'), undefined)
  t.strictSame(models.listInstalled(), [])
})

t.test('a file of the wrong size is not installed', async (t) => {
  for (const text of ['', '1234', '123456']) {
    t.strictSame(createModels(modelsDir(t, makeManifest(), { 'small.bin': text })).listInstalled(), [], `${text.length} bytes of 5`)
  }
})

t.test('a model that is put in place while the appliance runs is found', async (t) => {
  const dir = modelsDir(t, makeManifest())
  const models = createModels(dir)
  t.equal(models.choose('fast'), undefined)
  writeFileSync(`${dir}/small.bin`, '12345')
  t.match(models.choose('fast'), { name: 'small' })
})

t.test('decoding is the default, changed by the quality, changed by the model', async (t) => {
  const models = createModels(modelsDir(t, makeManifest(), { 'small.bin': '12345', 'large.bin': 'x' }))
  const defaults = {
    beamSize: 5,
    bestOf: 5,
    temperature: 0,
    temperatureStep: 0.2,
    entropyThreshold: 2.4,
    logProbThreshold: -1,
    noSpeechThreshold: 0.6,
    contextTokens: 0,
    suppressNonSpeech: true
  }
  t.strictSame(models.choose('fast')?.decoding, { ...defaults, beamSize: 1, bestOf: 1 })
  t.strictSame(models.choose('balanced')?.decoding, { ...defaults, temperatureStep: 0.4, beamSize: 3 })
})

t.test('a models directory without a manifest uses the bundled one and the bundled models', async (t) => {
  t.equal(createModels(BUNDLED_MODELS_DIR).manifest.version, 1)
  for (const dir of [t.testdir(), t.testdirName + '/missing']) {
    const models = createModels(dir)
    t.equal(models.manifest.version, 1)
    for (const quality of ['fast', 'balanced', 'accurate'] as const) t.match(models.choose(quality), { path: STARTER_MODEL }, quality)
  }
})

t.test('a file in the models directory comes before the bundled one of the same name', async (t) => {
  const manifest = makeManifest({ models: [entry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true })] })
  const dir = t.testdir({ 'manifest.json': JSON.stringify(manifest), starter: {} })
  t.match(createModels(dir).listInstalled(), [{ path: STARTER_MODEL }])
  writeFileSync(`${dir}/starter/ggml-starter-q5_0.bin`, 'own')
  t.match(createModels(dir).listInstalled(), [{ path: `${dir}/starter/ggml-starter-q5_0.bin` }])
})

t.test('a real model comes before the starter, also where no quality names it', async (t) => {
  const manifest = makeManifest({
    quality: {
      fast: { models: ['tiny'], decoding: {} },
      balanced: { models: ['tiny'], decoding: {} },
      accurate: { models: [], decoding: {} }
    },
    models: [entry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true }), entry('medium', { file: 'medium.bin' })]
  })
  const dir = t.testdir({ 'manifest.json': JSON.stringify(manifest) })
  t.match(createModels(dir).choose('fast'), { name: 'starter', isStarter: true })
  writeFileSync(`${dir}/medium.bin`, 'medium')
  for (const quality of ['fast', 'balanced', 'accurate'] as const) {
    t.match(createModels(dir).choose(quality), { name: 'medium', isStarter: false })
  }
})

t.test('a model that does not know the language is passed over', async (t) => {
  const manifest = makeManifest({
    quality: {
      fast: { models: ['latin', 'all'], decoding: {} },
      balanced: { models: ['latin'], decoding: {} },
      accurate: { models: [], decoding: {} }
    },
    models: [
      entry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true, languages: ['en'] }),
      entry('latin', { languages: ['la', 'it'] }),
      entry('all')
    ]
  })
  const dir = t.testdir({ 'manifest.json': JSON.stringify(manifest), 'latin.bin': 'x' })
  const models = createModels(dir)
  t.match(models.choose('fast'), { name: 'latin' })
  t.match(models.choose('fast', 'it'), { name: 'latin' })
  t.match(models.choose('fast', 'de'), { name: 'starter' }, 'the starter is better than nothing')
  writeFileSync(`${dir}/all.bin`, 'x')
  for (const quality of ['fast', 'balanced'] as const) t.match(models.choose(quality, 'de'), { name: 'all' }, quality)
})

t.test('a Parakeet model is used by the qualities that name it, and by no other', async (t) => {
  const manifest = makeManifest({
    quality: {
      fast: { models: ['small'], decoding: {} },
      balanced: { models: ['bird', 'large'], decoding: {} },
      accurate: { models: ['bird'], decoding: {} }
    },
    models: [
      entry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true, languages: ['en'] }),
      entry('bird', { kind: 'parakeet', languages: ['en', 'hr'] }),
      entry('english', { languages: ['en'] }),
      entry('small'),
      entry('large')
    ]
  })
  const dir = t.testdir({ 'manifest.json': JSON.stringify(manifest), 'bird.bin': 'x' })
  const models = createModels(dir)
  t.match(models.choose('fast'), { name: 'starter', kind: 'whisper' })
  t.match(models.choose('balanced', 'hr'), { name: 'bird', kind: 'parakeet', isStarter: false })
  t.match(models.choose('balanced', 'ja'), { name: 'starter' })
  t.match(
    models.chooseLanguageDetector('balanced'),
    { name: 'starter', kind: 'whisper' },
    'the starter tells languages where nothing else can'
  )
  writeFileSync(`${dir}/english.bin`, 'x')
  t.match(models.chooseLanguageDetector('balanced'), { name: 'starter' }, 'a model of one language tells none apart')
  for (const name of ['small', 'large']) writeFileSync(`${dir}/${name}.bin`, 'x')
  t.match(models.chooseLanguageDetector('balanced'), { name: 'large' }, 'the first of the quality')
  t.match(models.chooseLanguageDetector('accurate'), { name: 'small' }, 'any real one')
  t.match(models.choose('balanced', 'ja'), { name: 'large' })
  t.match(models.choose('balanced'), { name: 'bird' })
  models.markUnusable(`${dir}/bird.bin`)
  t.match(models.choose('balanced'), { name: 'large' })
})

t.test('no bundled quality names a Parakeet model: putting one in place changes no result', async (t) => {
  const { models, quality } = createModels(BUNDLED_MODELS_DIR).manifest
  const parakeets = models.filter(({ kind }) => kind === 'parakeet')
  t.ok(parakeets.length > 0)
  for (const { name, languages, licence, attribution } of parakeets) {
    t.notOk(Object.values(quality).some((one) => one.models.includes(name)), name)
    t.equal(new Set(languages).size, 25)
    t.match([licence, attribution], ['CC-BY-4.0', /NVIDIA/])
  }
})

t.test('the bundled manifest is right, and the starter model is whole', async (t) => {
  const models = createModels(BUNDLED_MODELS_DIR)
  const starter = models.listInstalled().find(({ entry }) => entry.bundled)
  t.ok(starter)
  if (starter) t.equal(await models.verify(starter), undefined)
  const names = models.manifest.models.map(({ name }) => name)
  t.equal(new Set(names).size, names.length, 'no name twice')
  for (const { models: wanted } of Object.values(models.manifest.quality)) {
    t.strictSame(wanted.filter((name) => !names.includes(name)), [], 'every quality names models that exist')
    t.notOk(wanted.includes('starter'), 'the starter is what is left when nothing else is installed')
  }
  t.strictSame(
    models.manifest.models.filter(({ bundled, sha256, sha1 }) => !bundled && !sha256 && !sha1),
    [],
    'every model to fetch has a checksum'
  )
})

t.test('faults of a manifest are named', async (t) => {
  const faults: Array<[unknown, RegExp]> = [
    [makeManifest({ version: 2 as 1 }), /version/],
    [{ ...makeManifest(), quality: { fast: { models: [], decoding: {} } } }, /quality/],
    [makeManifest({ models: [entry('Upper')] }), /models\/0\/name/],
    [makeManifest({ models: [entry('ok'), entry('up', { file: '../up.bin' })] }), /models\/1\/file/],
    [makeManifest({ models: [entry('abs', { file: '/etc/passwd' })] }), /models\/0\/file/],
    [makeManifest({ models: [entry('ok', { sha256: 'xyz' })] }), /models\/0\/sha256/],
    [makeManifest({ models: [entry('ok', { decoding: { beamSize: 99 } })] }), /models\/0\/decoding\/beamSize/],
    [makeManifest({ models: [entry('ok', { kind: 'conformer' as 'parakeet' })] }), /models\/0\/kind/],
    [makeManifest({ models: [entry('ok', { languages: ['German'] })] }), /models\/0\/languages/],
    [makeManifest({ models: [entry('ok'), entry('bird', { kind: 'parakeet' })] }), /bird must have languages/],
    [makeManifest({ models: [{ ...entry('ok'), typo: 1 } as ModelEntry] }), /models\/0/],
    [[], /manifest/],
    [null, /manifest/]
  ]
  for (const [manifest, name] of faults) {
    const dir = modelsDir(t, manifest)
    t.throws(() => readManifest(`${dir}/manifest.json`), { message: name }, String(name))
    t.throws(() => createModels(dir), { message: /^models manifest: / })
  }
})

t.test('a manifest that is no JSON is named as what it is', async (t) => {
  t.throws(() => createModels(t.testdir({ 'manifest.json': '{ "version": 1,' })), { message: /manifest/ })
})

t.test('a damaged file is found by its checksum, SHA-256 before SHA-1', async (t) => {
  const digest = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex')
  const manifest = makeManifest({
    models: [
      entry('a', { sha256: digest('sha256', 'good'), sha1: digest('sha1', 'odd') }),
      entry('b', { sha1: digest('sha1', 'good') }),
      entry('c')
    ]
  })
  const verify = async (text: string): Promise<Array<string | undefined>> => {
    const models = createModels(modelsDir(t, manifest, { 'a.bin': text, 'b.bin': text, 'c.bin': text }))
    return await Promise.all(models.listInstalled().map(models.verify))
  }
  t.strictSame(await verify('good'), [undefined, undefined, undefined])
  t.match(await verify('gooD'), [/^a\.bin .*damaged/, /^b\.bin .*damaged/, undefined])
})

t.test('a single flipped bit in the starter model is found', async (t) => {
  const bytes = readFileSync(STARTER_MODEL)
  bytes[6_000_000] = (bytes[6_000_000] ?? 0) ^ 1
  const dir = t.testdir({ starter: { 'ggml-starter-q5_0.bin': bytes } })
  const models = createModels(dir)
  const [installed] = models.listInstalled()
  if (!installed) throw new Error('the copy is installed')
  t.equal(installed.path, `${dir}/starter/ggml-starter-q5_0.bin`)
  t.match(await models.verify(installed), /damaged/)
})

t.test('a file of the right size whose digest is wrong is not used', async (t) => {
  const sha256 = createHash('sha256').update('12345').digest('hex')
  const dir = modelsDir(t, makeManifest({ models: [entry('small', { bytes: 5, sha256 }), entry('large')] }), {
    'small.bin': '12346', 'large.bin': 'x'
  })
  const models = createModels(dir)
  t.match(models.choose('fast'), { name: 'large' })
  t.match(models.listInstalled().map(models.inspect), [{ state: 'wrong', fault: /^small\.bin does not match/ }, { state: 'unknown' }])
  writeFileSync(`${dir}/small.bin`, '12345')
  t.match(models.choose('fast'), { name: 'small' })
})

t.test('a large file is used when it was read once, and is not read again before it changes', async (t) => {
  const bytes = 33 * 1024 * 1024
  const sha256 = createHash('sha256').update(Buffer.alloc(bytes)).digest('hex')
  const dir = modelsDir(t, makeManifest({ models: [entry('small', { bytes, sha256 })] }))
  writeFileSync(`${dir}/small.bin`, '')
  truncateSync(`${dir}/small.bin`, bytes)
  const models = createModels(dir)
  const stateOf = (one: typeof models): string[] => one.listInstalled().map((model) => one.inspect(model).state)
  t.strictSame(stateOf(models), ['unread'])
  t.equal(models.choose('fast'), undefined, 'not before')
  await models.prepare()
  t.match(models.choose('fast'), { name: 'small' })
  t.match(createModels(dir).choose('fast'), { name: 'small' }, 'another process knows it')
  const handle = openSync(`${dir}/small.bin`, 'r+')
  writeSync(handle, 'x')
  closeSync(handle)
  t.strictSame(stateOf(models), ['unread'], 'a byte of it changed')
  await models.prepare()
  t.strictSame(stateOf(models), ['wrong'])
})
