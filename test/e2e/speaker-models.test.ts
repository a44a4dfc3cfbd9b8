/** Pulled speaker models in the server, with random weights: used when they are there, resumed after kill -9, replaced when they break. */
import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { sha256Of } from '../support/model-server.ts'
import { AUDIO, STARTER_MODEL } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import { writeCamPlus, writeSegmentation } from '../support/speaker-models.ts'
import { waitFor } from '../support/wait.ts'

type Exported = { segments: Array<{ words: Array<{ speaker?: string }> }> }

/** The bundled manifest with the digests of these files. */
const modelsDir = t.testdir()
const bundled = readFileSync(dirname(STARTER_MODEL) + '/../manifest.json', 'utf8')
const manifest = JSON.parse(bundled) as { models: Array<Record<string, unknown>> }
for (const [name, bytes] of Object.entries({ 'pyannote-segmentation-3.0': writeSegmentation(), 'campplus-zh-en': writeCamPlus() })) {
  const entry = manifest.models.find((model) => model['name'] === name)!
  Object.assign(entry, { bytes: bytes.length, sha256: sha256Of(bytes) })
  writeFileSync(`${modelsDir}/${String(entry['file'])}`, bytes)
}
writeFileSync(`${modelsDir}/manifest.json`, JSON.stringify(manifest))
const env = { STENOBOX_MODELS_DIR: modelsDir }

const long = `${modelsDir}/long.wav`
execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '1', '-i', AUDIO + 'dialogue.mp3', '-ar', '16000', '-ac', '1', long])

async function speakersOf (address: string, key: string, id: number): Promise<Array<string | undefined>> {
  const url = new URL(`/api/v1/transcriptions/${id}/export?format=json`, address)
  const exported = await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json() as Exported
  return exported.segments.flatMap(({ words }) => words.map(({ speaker }) => speaker))
}

function readPieces (dataDir: string): string[] {
  const db = new Database(dataDir + '/app.db', { readonly: true })
  try {
    return (db.prepare('SELECT engine_id FROM speaker_piece').all() as Array<{ engine_id: string }>).map(({ engine_id: id }) => id)
  } finally {
    db.close()
  }
}

t.test('kill -9 in the middle changes no label; a model that breaks costs neither transcript nor speakers', async (t) => {
  const whole = await startServer(t.testdir({ whole: {}, killed: {} }) + '/whole', env)
  const wholeKey = whole.firstKey ?? ''
  const wholeClient = createClient(whole.address, wholeKey)
  await wholeClient.uploadFile(long, { language: 'en', options: { speakers: true } })
  t.match(await wholeClient.ended(1), { status: 'completed' })
  const labels = await speakersOf(whole.address, wholeKey, 1)
  t.ok(labels.some((label) => label !== undefined), 'random weights hear somebody')

  const dataDir = t.testdirName + '/killed'
  const first = await startServer(dataDir, env)
  const key = first.firstKey ?? ''
  await createClient(first.address, key).uploadFile(long, { language: 'en', options: { speakers: true } })
  await waitFor('a piece', () => readPieces(dataDir).length > 0)
  await first.kill9()
  t.match(readPieces(dataDir)[0], /^models-1 /)
  const second = await startServer(dataDir, env)
  t.match(await createClient(second.address, key).ended(1), { status: 'completed', warnings: [] })
  t.strictSame(await speakersOf(second.address, key, 1), labels)
  await second.stop()

  const segmentation = `${modelsDir}/pyannote-segmentation-3.0.onnx`
  const bytes = readFileSync(segmentation)
  const defects: Array<[spoil: () => void, reason: RegExp]> = [
    [() => { writeFileSync(segmentation, bytes.subarray(0, 1_000_000)) }, /pyannote-segmentation-3\.0\.onnx does not have its publ/],
    [() => { rmSync(segmentation) }, /no speaker-segmentation model is installed/]
  ]
  for (const [index, [spoil, reason]] of defects.entries()) {
    spoil()
    await wholeClient.uploadFile(AUDIO + 'en-1.wav', { language: 'en', options: { speakers: true } })
    const warnings = [{ code: 'starter_model' }, { code: 'speakers_substitute' }]
    t.match(await wholeClient.ended(2 + index), { status: 'completed', warnings })
    t.strictSame([...new Set(await speakersOf(whole.address, wholeKey, 2 + index))], ['Speaker 1'])
    const { stdout } = await runCommand(t.testdirName + '/whole', ['doctor'], env)
    t.match(stdout, /warn {2}speakers: bundled model, .*, because /)
    t.match(stdout, reason)
  }

  writeFileSync(segmentation, bytes)
  t.equal((await wholeClient.request('POST', '/api/v1/transcriptions/3/speakers', { speakers: true })).status, 202)
  await waitFor('the speakers by the model that is back', async () => {
    const { body: { data } } = await wholeClient.request<{ status: string }>('GET', '/api/v1/transcriptions/3/speakers')
    return data.status === 'done'
  })
  t.match(await wholeClient.job(3), { status: 'completed', warnings: [{ code: 'starter_model' }] })
  t.notMatch(await wholeClient.job(3), { warnings: [{}, { code: 'speakers_substitute' }] })
  const { stdout } = await runCommand(t.testdirName + '/whole', ['doctor'], env)
  t.match(stdout, /ok {4}speakers: pyannote-segmentation-3\.0 with campplus-zh-en/)
  await whole.stop()
})
