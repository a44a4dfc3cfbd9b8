/** The program with a Parakeet model that its manifest names: real uploads, real workers, a text that is known beforehand. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { makeParakeet } from '../support/parakeet-model.ts'
import { SCRIPT } from '../support/parakeet.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand } from '../support/program.ts'

type Document = { language: string, segments: Array<{ text: string, words: Array<{ word: string, start: number, end: number }> }> }

/** A data directory whose models are the starter and a Parakeet model for these languages, in this order of the qualities. */
function makeFolder (t: Test, languages: string[], named: string[]): { dir: string, settings: Record<string, string> } {
  const bundled = JSON.parse(readFileSync(new URL('../../models/manifest.json', import.meta.url), 'utf8')) as {
    models: Array<{ name: string }>
  }
  const quality = { models: named, decoding: {} }
  const manifest = {
    version: 1,
    quality: { fast: quality, balanced: quality, accurate: quality },
    models: [
      ...bundled.models.filter(({ name }) => name === 'starter'),
      { name: 'bird', kind: 'parakeet', file: 'bird.bin', licence: 'CC0-1.0', languages }
    ]
  }
  const dir = t.testdir({ models: { 'manifest.json': JSON.stringify(manifest) } })
  writeFileSync(dir + '/models/bird.bin', makeParakeet(SCRIPT).bytes)
  return { dir, settings: { STENOBOX_MODELS_DIR: dir + '/models' } }
}

async function transcribe (t: Test, folder: ReturnType<typeof makeFolder>, args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await runCommand(folder.dir, ['transcribe', '--format', 'json', ...args], folder.settings)
  t.equal(code, 0, stderr)
  return JSON.parse(stdout) as Document
}

t.test('a clip and a talk without a given language', async (t) => {
  const folder = makeFolder(t, ['en'], ['bird'])
  const clip = await transcribe(t, folder, [AUDIO + 'en-1.wav'])
  t.equal(clip.language, 'en', 'found out by the starter')
  t.match(clip.segments.map(({ text }) => text).join(''), /^ Good morning\. It is 1\.5 now/)
  let last = 0
  for (const { start, end } of clip.segments.flatMap(({ words }) => words)) {
    t.ok(start >= last && end >= start)
    last = end
  }
  const talk = await transcribe(t, folder, [AUDIO + 'talk.mp3'])
  t.equal(talk.language, 'en')
  t.ok(talk.segments.filter(({ text }) => text === ' Good morning.').length > 5, 'every window says it again')
})

t.test('a language it does not know goes to the starter', async (t) => {
  const { language, segments } = await transcribe(t, makeFolder(t, ['en'], ['bird']), [AUDIO + 'de-1.m4a'])
  t.equal(language, 'de')
  t.notMatch(segments.map(({ text }) => text).join(''), /Good morning/)
})

t.test('a model that no quality names is not used', async (t) => {
  const { segments } = await transcribe(t, makeFolder(t, ['en'], []), [AUDIO + 'en-1.wav', '--language', 'en'])
  t.match(segments.map(({ text }) => text).join(''), /meeting/)
})
