/** Which model is asked what: the real choice of models over a pool that only answers. */
import { rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createModels } from '../../../dist/engine/models/models.js'
import type { Manifest } from '../../../dist/engine/models/manifest.js'
import { SpeechError } from '../../../dist/domain/speech-error.js'
import type { InferenceHelper } from '../../../dist/engine/speech/helper.js'
import { createSpeechEngine } from '../../../dist/engine/speech/engine.js'
import { NEVER } from '../../support/never.ts'

const SOURCE = { audioPath: '/audio', spans: [{ startSample: 0, endSample: 160_000 }] }
const WHISPER = { kind: 'whisper', licence: 'MIT' } as const
const MANIFEST: Manifest = {
  version: 1,
  quality: {
    fast: { models: ['small'], decoding: {} },
    balanced: { models: ['bird', 'large'], decoding: {} },
    accurate: { models: ['bird'], decoding: {} }
  },
  models: [
    { name: 'starter', file: 'starter/ggml-starter-q5_0.bin', bundled: true, ...WHISPER },
    { name: 'bird', file: 'bird.bin', kind: 'parakeet', licence: 'CC-BY-4.0', languages: ['en', 'hr'] },
    { name: 'small', file: 'small.bin', ...WHISPER },
    { name: 'large', file: 'large.bin', ...WHISPER }
  ]
}

/** An engine with these models installed, whose pool hears `language`, and a list of what it was asked: task, file, kind, language. */
function openEngine (t: Test, installed: string[], language: string, broken: string[] = []) {
  const dir = t.testdir({ 'manifest.json': JSON.stringify(MANIFEST) })
  for (const name of installed) writeFileSync(`${dir}/${name}.bin`, name)
  const asked: unknown[] = []
  const run = async (task: string, input: { model: { path: string, kind: string }, language?: string }): Promise<unknown> => {
    const file = input.model.path.split('/').at(-1) ?? ''
    asked.push([task, file, input.model.kind, ...(task === 'transcribe' ? [input.language] : [])])
    if (broken.includes(file)) throw new SpeechError('model_unavailable', 'broken')
    if (task === 'detectLanguage') return { posteriors: [{ language: 'xx', probability: 0.1 }, { language, probability: 0.9 }] }
    return { segments: [], language: input.language ?? language }
  }
  const pool = { threads: 2, run } as unknown as InferenceHelper['speech']
  const detector = {} as InferenceHelper['detector']
  let held: string[] = []
  return {
    engine: createSpeechEngine({ pool, detector, heldModels: () => held, models: createModels(dir), gpu: false, threadsPerWorker: 1 }),
    asked,
    hold (...names: string[]): void {
      held = names.map((name) => `${dir}/${name}.bin`)
    },
    remove (name: string): void {
      rmSync(`${dir}/${name}.bin`)
    }
  }
}

const balanced = (language: string | undefined) => ({ quality: 'balanced' as const, language, prior: [], prompt: '', terms: [] })

t.test('Parakeet transcribes the languages it knows, when they are told', async (t) => {
  const { engine, asked } = openEngine(t, ['bird', 'large'], 'en')
  t.equal((await engine.transcribe(SOURCE, balanced('hr'), NEVER)).language, 'hr')
  t.equal((await engine.transcribe(SOURCE, balanced('ja'), NEVER)).language, 'ja')
  t.same(asked, [['transcribe', 'bird.bin', 'parakeet', 'hr'], ['transcribe', 'large.bin', 'whisper', 'ja']])
})

t.test('a language that was not told is found out by Whisper first', async (t) => {
  const { engine, asked } = openEngine(t, ['bird', 'small', 'large'], 'hr')
  t.equal((await engine.transcribe(SOURCE, balanced(undefined), NEVER)).language, 'hr')
  t.same(asked, [['detectLanguage', 'large.bin', 'whisper'], ['transcribe', 'bird.bin', 'parakeet', 'hr']])
})

t.test('and when Parakeet does not know it, Whisper transcribes as well', async (t) => {
  const { engine, asked } = openEngine(t, ['bird', 'small'], 'ja')
  t.equal((await engine.transcribe(SOURCE, balanced(undefined), NEVER)).language, 'ja')
  t.same(asked, [['detectLanguage', 'small.bin', 'whisper'], ['transcribe', 'small.bin', 'whisper', 'ja']])
})

t.test('samples of a long recording are Whisper\'s, and the starter\'s only where there is no other', async (t) => {
  const some = openEngine(t, ['bird', 'large'], 'en')
  t.match(await some.engine.detectLanguage(SOURCE, { quality: 'accurate' }, NEVER), [{ language: 'xx' }, { language: 'en' }])
  const none = openEngine(t, ['bird'], 'en')
  await none.engine.detectLanguage(SOURCE, { quality: 'accurate' }, NEVER)
  t.same([some.asked, none.asked], [[['detectLanguage', 'large.bin', 'whisper']], [['detectLanguage', 'ggml-starter-q5_0.bin', 'whisper']]])
})

t.test('Whisper alone decodes a window once', async (t) => {
  const { engine, asked } = openEngine(t, ['large'], 'de')
  t.equal((await engine.transcribe(SOURCE, balanced(undefined), NEVER)).language, 'de')
  await engine.detectLanguage(SOURCE, { quality: 'balanced' }, NEVER)
  await engine.transcribe(SOURCE, { quality: 'fast', language: undefined, prior: [], prompt: '', terms: [] }, NEVER)
  t.same(asked, [
    ['transcribe', 'large.bin', 'whisper', undefined],
    ['detectLanguage', 'large.bin', 'whisper'],
    ['transcribe', 'large.bin', 'whisper', undefined]
  ])
})

t.test('a Parakeet file that cannot be loaded is passed over', async (t) => {
  const { engine, asked } = openEngine(t, ['bird', 'large'], 'en', ['bird.bin'])
  await t.rejects(engine.transcribe(SOURCE, balanced('en'), NEVER), { code: 'model_unavailable' })
  await engine.transcribe(SOURCE, balanced('en'), NEVER)
  t.same(asked.at(-1), ['transcribe', 'large.bin', 'whisper', 'en'])
})

t.test('where Parakeet cannot be told a language it knows, there is nothing to ask', async (t) => {
  const dir = t.testdir({ 'manifest.json': JSON.stringify({ ...MANIFEST, models: MANIFEST.models.slice(1, 2) }), 'bird.bin': 'x' })
  const lonely = createSpeechEngine({
    pool: { threads: 1 } as unknown as InferenceHelper['speech'],
    detector: {} as InferenceHelper['detector'],
    heldModels: () => [],
    models: createModels(dir),
    gpu: false,
    threadsPerWorker: 1
  })
  await t.rejects(
    lonely.transcribe(SOURCE, balanced(undefined), NEVER),
    { code: 'model_unavailable' },
    'Parakeet alone cannot tell what it hears'
  )
  await t.rejects(lonely.transcribe(SOURCE, balanced('ja'), NEVER), { code: 'model_unavailable' })
})

t.test('the models in memory have their names, even after their files were removed', async (t) => {
  const { engine, hold, remove } = openEngine(t, ['bird', 'large'], 'en')
  t.strictSame(engine.listLoaded(), [])
  for (const language of ['hr', 'ja']) await engine.transcribe(SOURCE, balanced(language), NEVER)
  hold('bird', 'large')
  t.strictSame(engine.listLoaded(), ['bird', 'large'])
  remove('bird')
  t.strictSame(engine.listLoaded(), ['bird', 'large'])
  hold('large')
  t.strictSame(engine.listLoaded(), ['large'], 'a model that was freed is no longer named')
})

t.test('the model of the default quality is loaded on every thread', async (t) => {
  const { engine, asked } = openEngine(t, ['bird', 'large'], 'en')
  await engine.warmUp()
  t.same(asked, [['warmUp', 'bird.bin', 'parakeet'], ['warmUp', 'bird.bin', 'parakeet']])
})
