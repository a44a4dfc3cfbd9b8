/** The engine without a language model, on its thread. */
import t from 'tap'
import { ARTIFACT_MODES } from '../../../dist/domain/artifact.js'
import type { ArtifactSource } from '../../../dist/domain/artifact.js'
import { createExtractiveEngine, createExtractivePool } from '../../../dist/engine/text/extractive.js'
import { finishArtifact } from '../../../dist/formats/artifact.js'
import { makeLong, readSpoken, readText, talkTopicsMs } from '../../support/artifact-sources.ts'
import { findArtifactFaults, testArtifactEngine } from '../../support/contracts/artifact-engine.ts'

const pool = createExtractivePool()
const engine = createExtractiveEngine(pool)
t.teardown(pool.close)

const make = async (mode: typeof ARTIFACT_MODES[number], source: ArtifactSource) =>
  finishArtifact(mode, await engine.create(mode, source, new AbortController().signal), source)

t.test('it keeps the contract of engines', async (t) => {
  await testArtifactEngine(t, engine, {
    sources: {
      'a council meeting': () => readText('council', 'en'),
      'a German interview': () => readText('interview-de', 'de'),
      'a lecture': () => readText('lecture', 'en'),
      'two hours': () => makeLong(2)
    }
  })
})

t.test('ten hours', async (t) => {
  const source = makeLong(10)
  t.strictSame(findArtifactFaults('show-notes', await make('show-notes', source), source), [])
})

t.test('chapters of the four-topic talk start where the topics change', async (t) => {
  const { chapters = [] } = await make('chapters', readSpoken('talk'))
  const truth = talkTopicsMs()
  t.equal(chapters.length, truth.length)
  for (const [index, startMs] of truth.entries()) {
    t.ok(Math.abs((chapters[index]?.startMs ?? Infinity) - startMs) < 10_000, `topic ${index + 1} starts at ${startMs} ms`)
  }
})

t.test('chapters of the council meeting are its items', async (t) => {
  const { chapters = [] } = await make('chapters', readText('council', 'en'))
  t.strictSame(chapters.map(({ title }) => title), [
    'The old bridge on Mill Road', 'The new library', 'Waste collection', 'The swimming pool', 'The summer festival'
  ])
})

t.test('fillers are said in quotes only', async (t) => {
  const source = readText('council', 'en')
  for (const mode of ['summary', 'thread', 'blog'] as const) t.notMatch((await make(mode, source)).content, /\bum\b|you know,/i, mode)
})

t.test('what it makes', async (t) => {
  const sources = { talk: readSpoken('talk'), council: readText('council', 'en'), interview: readText('interview-de', 'de') }
  for (const [name, source] of Object.entries({ ...sources, spanish: readSpoken('es-1') })) {
    for (const mode of ARTIFACT_MODES) t.matchSnapshot((await make(mode, source)).content, `${mode} of ${name}`)
  }
})
