/** Which engine tells speakers apart, by what is installed. */
import t from 'tap'
import type { Test } from 'tap'
import { rmSync, writeFileSync } from 'node:fs'
import { createModels } from '../../../dist/engine/models/models.js'
import { createSpeakerModelPool } from '../../../dist/engine/speech/pool.js'
import { createSpeakerEngines } from '../../../dist/engine/speech/speaker-choice.js'
import type { SpeakerSetting } from '../../../dist/engine/speech/speaker-choice.js'
import { createTestSpeakers } from '../../support/speaker-engine.ts'
import { modelEntry, modelManifest } from '../../support/model-library.ts'
import { sha256Of } from '../../support/model-server.ts'
import { writeCamPlus, writeSegmentation } from '../../support/speaker-models.ts'

const FILES = { 'segmentation.onnx': writeSegmentation(), 'embedding.onnx': writeCamPlus() }
const entryOf = (kind: 'speaker-segmentation' | 'speaker-embedding') => {
  const name = kind === 'speaker-segmentation' ? 'segmentation' as const : 'embedding' as const
  const bytes = FILES[`${name}.onnx`]
  return modelEntry(name, { kind, file: `${name}.onnx`, bytes: bytes.length, sha256: sha256Of(bytes) })
}
const MANIFEST = JSON.stringify({
  ...modelManifest([modelEntry('a')]), models: [modelEntry('a'), entryOf('speaker-segmentation'), entryOf('speaker-embedding')]
})

function setUp (t: Test, setting: SpeakerSetting = 'auto', files: Partial<Record<keyof typeof FILES, Buffer>> = FILES) {
  const dir = t.testdir({ 'manifest.json': MANIFEST })
  for (const [name, bytes] of Object.entries(files)) writeFileSync(`${dir}/${name}`, bytes)
  const pool = createSpeakerModelPool()
  t.teardown(async () => { await pool.close() })
  const bundled = createTestSpeakers().engine
  return { dir, bundled, ...createSpeakerEngines({ models: createModels(dir), pool, bundled, setting }) }
}

t.test('both models are used when both are installed, unless the setting says otherwise', async (t) => {
  const { choose } = setUp(t)
  const { engine, name, defect } = choose()
  t.match([name, defect], ['segmentation with embedding', undefined])
  t.match(engine.id, /^models-1 [0-9a-f]{16} [0-9a-f]{16}$/)
  await engine.prepare()
  const bundled = setUp(t, 'bundled')
  t.strictSame(bundled.choose(), { engine: bundled.bundled, name: 'bundled model, test-1', defect: undefined })
})

t.test('without models the bundled one is used, which is a defect only where models are demanded', async (t) => {
  t.match(setUp(t, 'auto', {}).choose(), { engine: { id: 'test-1' }, defect: undefined })
  t.match(setUp(t, 'models', {}).choose(), { engine: { id: 'test-1' }, defect: /^no speaker-segmentation and no speaker-embedding model/ })
})

t.test('a missing or damaged file is a defect, and the bundled model is used', async (t) => {
  t.match(setUp(t, 'auto', { 'segmentation.onnx': FILES['segmentation.onnx'] }).choose(),
    { engine: { id: 'test-1' }, defect: /^no speaker-embedding model is installed\. Install both: / })
  const cut = setUp(t, 'auto', { ...FILES, 'embedding.onnx': FILES['embedding.onnx'].subarray(0, 999) })
  t.match(cut.choose(), { engine: { id: 'test-1' }, defect: /^embedding\.onnx does not have its published size/ })
  const wrong = setUp(t, 'auto', { ...FILES, 'embedding.onnx': Buffer.alloc(FILES['embedding.onnx'].length) })
  t.match(wrong.choose(), { engine: { id: 'test-1' }, defect: /^embedding\.onnx does not match its published checksum/ })
})

t.test('models that cannot be loaded are set aside; files that come and go are noticed', async (t) => {
  const { dir, choose, setAside, bundled } = setUp(t)
  t.equal(setAside(bundled, 'nothing is left'), false)
  t.equal(setAside(choose().engine, 'the file is strange'), true)
  t.match(choose(), { engine: { id: 'test-1' }, defect: 'segmentation with embedding cannot be used: the file is strange' })
  rmSync(`${dir}/embedding.onnx`)
  t.match(choose(), { engine: { id: 'test-1' }, defect: /^no speaker-embedding model/ })
})
