/** Making, storing, sharing and preparing artifacts, with engines that do what the test says. */
import fc from 'fast-check'
import t from 'tap'
import type { Test } from 'tap'
import { ArtifactError } from '../../dist/domain/artifact-error.js'
import { ARTIFACT_MODES } from '../../dist/domain/artifact.js'
import type { ArtifactDraft, ArtifactMode, ArtifactSource, TopicDraft } from '../../dist/domain/artifact.js'
import type { ArtifactEngine } from '../../dist/engine/text/artifact-engine.js'
import { extract } from '../../dist/domain/extractive/extract.js'
import { DEFAULT_LIMITS } from '../../dist/domain/plans.js'
import { createArtifactStore } from '../../dist/store/artifacts.js'
import { createQueue } from '../../dist/service/queue.js'
import { createArtifacts } from '../../dist/service/artifacts.js'
import type { ArtifactLimits } from '../../dist/service/artifacts.js'
import { finishArtifact } from '../../dist/formats/artifact.js'
import { ODD_SOURCES, readSpoken, toSegments } from '../support/artifact-sources.ts'
import { findArtifactFaults, findQuoteFaults } from '../support/contracts/artifact-engine.ts'
import { nameOf, openStores } from '../support/store.ts'

const SILENT = { debug () {}, info () {}, warn () {}, error () {} }
const talk = readSpoken('talk')
const READER = { ownerId: 1, plan: 'enterprise' } as const

type Create = (mode: ArtifactMode, source: ArtifactSource, signal: AbortSignal) => Promise<ArtifactDraft>
const engineOf = (name: ArtifactEngine['name'], create: Create): ArtifactEngine => ({ name, create })
const working = (): ArtifactEngine => engineOf('extractive', async (mode, source) => extract(mode, source))

type Setup = { engines?: [...ArtifactEngine[], ArtifactEngine], limits?: ArtifactLimits, warnings?: unknown[] }

function build (t: Test, { engines = [working()], limits, warnings = [] }: Setup = {}) {
  const stores = openStores(t, t.testdir())
  const { jobs, transcripts, work, db, inTransaction } = stores
  const log = { ...SILENT, warn: (fields: object) => { warnings.push(fields) } }
  const artifacts = createArtifacts({
    ...stores,
    artifacts: createArtifactStore(db),
    queue: createQueue({ work, inTransaction, now: () => 1000 }),
    engines,
    plans: { limitsOf: () => DEFAULT_LIMITS.enterprise },
    now: () => 1000,
    log,
    ...(limits ? { limits } : {})
  })
  function addTalk (sentences = talk.sentences): number {
    return inTransaction(() => {
      const id = stores.addDecodedJob('default', 0)
      jobs.setDecoded(id, talk.durationMs, 0)
      transcripts.insertWindow(id, 0, toSegments(sentences))
      jobs.complete(id, 0)
      db.prepare('UPDATE job SET file_name = ?, heard_language = ? WHERE id = ?').run(nameOf('talk.mp3'), 'en', id)
      return id
    })
  }
  const count = (): unknown => db.prepare('SELECT count(*) FROM artifact WHERE body IS NOT NULL').pluck().get()
  return { ...stores, artifacts, addTalk, count, warnings }
}

t.test('two first calls at once do the work once, and later calls none', async (t) => {
  let made = 0
  const engine = engineOf('extractive', async (mode, source) => {
    made++
    return extract(mode, source)
  })
  const { artifacts, addTalk } = build(t, { engines: [engine] })
  const id = addTalk()
  const [first, second] = await Promise.all([artifacts.read(id, READER, 'summary'), artifacts.read(id, READER, 'summary')])
  t.strictSame(first, second)
  t.strictSame(await artifacts.read(id, READER, 'summary'), first)
  t.equal(made, 1)
  await artifacts.read(id, READER, 'quotes')
  t.equal(made, 2)
})

t.test('a change of the transcript drops what was made from it', async (t) => {
  const { artifacts, addTalk, count, db, transcripts } = build(t)
  const [id, other] = [addTalk(), addTalk()]
  const before = await artifacts.read(id, READER, 'quotes')
  await artifacts.read(other, READER, 'quotes')
  t.equal(count(), 2)
  db.prepare('UPDATE segment SET text = text WHERE job_id = ? AND idx = 0').run(id)
  t.equal(count(), 1, 'an edit')
  t.strictSame(await artifacts.read(id, READER, 'quotes'), before)
  transcripts.nameSpeakers(id, (segments) => segments.map((segment) => ({ ...segment, speaker: 'Ada' })))
  t.equal(count(), 1, 'speakers')
  await artifacts.read(id, READER, 'quotes')
  transcripts.removeFrom(id, 0)
  t.equal(count(), 1, 'a new transcription')
  t.strictSame((await artifacts.read(id, READER, 'quotes')).quotes, [])
})

t.test('an edit while an artifact is made: the outdated one is not stored', async (t) => {
  let made = 0
  const engine = engineOf('extractive', async (mode, source) => {
    if (++made === 1) db.prepare('DELETE FROM segment WHERE idx > 40').run()
    return extract(mode, source)
  })
  const { artifacts, addTalk, db } = build(t, { engines: [engine] })
  const id = addTalk()
  const chapters = (await artifacts.read(id, READER, 'chapters')).chapters ?? []
  t.equal(made, 2)
  t.ok(chapters.every(({ startMs }) => startMs < (talk.sentences[41]?.startMs ?? 0)))
  t.strictSame((await artifacts.read(id, READER, 'chapters')).chapters, chapters)
})

t.test('the next engine answers when one fails, takes too long or answers nonsense', async (t) => {
  const cases: Array<[name: string, create: Create, warned: boolean]> = [
    ['no model', async () => { throw new ArtifactError('unavailable', 'no model') }, false],
    ['an error', async () => { throw new Error('boom') }, true],
    ['too slow', async (mode, source, signal) => await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => { reject(new ArtifactError('aborted', 'stopped')) })
    }), true],
    ['another mode', async () => ({ mode: 'summary', text: 'A. B. C.' }), true],
    ['too little', async () => ({ mode: 'quotes', quotes: [{ first: 900, last: 901 }] }), true]
  ]
  for (const [name, create, warned] of cases) {
    await t.test(name, async (t) => {
      const engines: [ArtifactEngine, ArtifactEngine] = [engineOf('llm', create), working()]
      const { artifacts, addTalk, warnings } = build(t, { engines, limits: { replyMs: 50, prepareMs: 50 } })
      t.match(await artifacts.read(addTalk(), READER, 'quotes'), { engine: 'extractive', quotes: [{}, {}, {}, {}, {}] })
      t.equal(warnings.length, warned ? 1 : 0)
    })
  }
})

/** An engine that never answers until `free` is called; then at once. */
function createSlow () {
  let isFree = false
  const slow = engineOf('llm', async (mode, source, signal) => await new Promise((resolve, reject) => {
    if (isFree) resolve(extract(mode, source))
    signal.throwIfAborted()
    signal.addEventListener('abort', () => { reject(new ArtifactError('aborted', 'stopped')) })
  }))
  return { slow, free: () => { isFree = true } }
}

t.test('a first call does not wait for a slow engine; the background replaces what it got', async (t) => {
  const { slow, free } = createSlow()
  const { artifacts, addTalk, count, work } = build(t, { engines: [slow, working()], limits: { replyMs: 20, prepareMs: 60_000 } })
  const id = addTalk()
  const first = await artifacts.read(id, READER, 'quotes')
  t.match(first, { engine: 'extractive', quotes: [{}, {}, {}, {}, {}] })
  t.strictSame(await artifacts.read(id, READER, 'quotes'), first, 'it is stored')
  await artifacts.read(id, READER, 'chapters')
  t.ok(work.find({ jobId: id, kind: 'artifact' }, 0), 'the background has one piece of work for both')
  const claim = artifacts.claim() ?? t.fail('the work is claimed') as never
  const stop = new AbortController()
  const preparing = artifacts.prepare(claim, stop.signal)
  t.strictSame(await artifacts.read(id, READER, 'quotes'), first, 'it stays until there is a better one')
  stop.abort(new Error('stopping'))
  await preparing
  t.strictSame(await artifacts.read(id, READER, 'quotes'), first, 'also when the process ends')
  free()
  await artifacts.prepare(artifacts.claim() ?? t.fail('the work is claimed again') as never, new AbortController().signal)
  t.equal((await artifacts.read(id, READER, 'quotes')).engine, 'llm')
  t.equal(count(), 3)
})

t.test('what was made in a hurry is replaced, and stays when the better engine fails', async (t) => {
  const answers = { llm: false }
  const llm = engineOf('llm', async (mode, source, signal) => {
    if (answers.llm) return extract(mode, source)
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => { reject(new ArtifactError('aborted', 'stopped')) })
    })
  })
  const { artifacts, addTalk, work } = build(t, { engines: [llm, working()], limits: { replyMs: 20, prepareMs: 30 } })
  const id = addTalk()
  // The timers of time limits do not keep the process running.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => { clearInterval(alive) })
  const prepare = async (): Promise<void> => {
    await artifacts.prepare(artifacts.claim() ?? t.fail('the work is claimed') as never, new AbortController().signal)
  }
  await artifacts.read(id, READER, 'summary')
  await prepare()
  t.equal((await artifacts.read(id, READER, 'summary')).engine, 'extractive')
  t.equal(artifacts.claim(), undefined, 'the background tries it once')
  answers.llm = true
  work.insert({ kind: 'artifact', jobId: id, run: undefined })
  await prepare()
  for (const mode of ['summary', 'chapters', 'quotes'] as const) t.equal((await artifacts.read(id, READER, mode)).engine, 'llm', mode)
})

t.test('requests that wait for others of their owner are not given more time', async (t) => {
  const { slow } = createSlow()
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => { clearInterval(alive) })
  const { artifacts, addTalk } = build(t, { engines: [slow, working()], limits: { replyMs: 400, prepareMs: 400 } })
  const id = addTalk()
  const startedMs = performance.now()
  await Promise.all(['summary', 'thread', 'blog', 'show-notes', 'quotes', 'chapters'].map(async (mode) => {
    t.equal((await artifacts.repurpose(id, READER, mode as ArtifactMode)).engine, 'extractive')
  }))
  t.ok(performance.now() - startedMs < 6 * 400, 'six requests take less than six times the limit')
})

t.test('the first engine that answers is used', async (t) => {
  const llm = engineOf('llm', async () => ({ mode: 'summary', text: 'Bread first. Then the garden. Then the computer.' }))
  const { artifacts, addTalk } = build(t, { engines: [llm, working()] })
  const content = 'Bread first. Then the garden. Then the computer.'
  t.match(await artifacts.read(addTalk(), READER, 'summary'), { engine: 'llm', content })
})

t.test('completed jobs are prepared while no job is in progress', async (t) => {
  const { artifacts, addTalk, addJob, count, jobs, work } = build(t)
  const id = addTalk()
  const busy = addJob('default')
  work.insert({ kind: 'artifact', jobId: id, run: undefined })
  t.equal(artifacts.claim(), undefined, 'another job is in progress')
  jobs.fail(busy, 'decode_failed', 0)
  const claim = artifacts.claim() ?? t.fail('the work is claimed') as never
  await artifacts.prepare(claim, new AbortController().signal)
  t.equal(count(), 3)
  t.equal(work.find({ jobId: id, kind: 'artifact' }, 0), undefined, 'the work is done')
})

t.test('preparation stops with the process, and continues later', async (t) => {
  const controller = new AbortController()
  const engine = engineOf('extractive', async (mode, source) => {
    controller.abort(new Error('stopping'))
    return extract(mode, source)
  })
  const { artifacts, addTalk, count, work } = build(t, { engines: [engine] })
  const id = addTalk()
  work.insert({ kind: 'artifact', jobId: id, run: undefined })
  const claim = artifacts.claim() ?? t.fail('the work is claimed') as never
  await artifacts.prepare(claim, controller.signal)
  t.equal(count(), 1)
  const again = artifacts.claim() ?? t.fail('the work is claimed again') as never
  await artifacts.prepare(again, new AbortController().signal)
  t.equal(count(), 3)
})

t.test('a job that cannot be prepared is left to its first call', async (t) => {
  const broken = engineOf('extractive', async () => { throw new ArtifactError('failed', 'broken') })
  const { artifacts, addTalk, work, warnings } = build(t, { engines: [broken] })
  work.insert({ kind: 'artifact', jobId: addTalk(), run: undefined })
  const claim = artifacts.claim() ?? t.fail('the work is claimed') as never
  await artifacts.prepare(claim, new AbortController().signal)
  t.equal(artifacts.claim(), undefined, 'it is not tried again')
  t.equal(warnings.length, 1)
})

/** Numbers as a language model might invent them. */
const numbers = fc.oneof(fc.integer({ min: -5, max: 120 }), fc.double(), fc.constantFrom(NaN, Infinity, 2 ** 53))
const odd = fc.constantFrom('', '# x', '12:00 “never said”', 'a'.repeat(5000), '\n\n')
const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), odd)
const topics = fc.array(fc.record<TopicDraft>({ title: texts, sentence: numbers }), { maxLength: 30 })
const spans = fc.array(fc.record({ first: numbers, last: numbers }), { maxLength: 30 })
const nonsense: fc.Arbitrary<ArtifactDraft> = fc.oneof(
  fc.record({ mode: fc.constant('summary' as const), text: texts }),
  fc.record({ mode: fc.constant('chapters' as const), chapters: topics }),
  fc.record({ mode: fc.constant('quotes' as const), quotes: spans }),
  fc.record({ mode: fc.constant('show-notes' as const), intro: texts, topics, quotes: spans }),
  fc.record({ mode: fc.constant('thread' as const), posts: fc.array(texts, { maxLength: 30 }) }),
  fc.record({
    mode: fc.constant('blog' as const),
    title: texts,
    intro: texts,
    sections: fc.array(fc.record({ heading: texts, text: texts, quote: fc.record({ first: numbers, last: numbers }) }), { maxLength: 20 })
  })
)

t.test('whatever an engine answers, quotes are verbatim and times are true', async (t) => {
  const sources = [talk, ...Object.values(ODD_SOURCES).map((make) => make())]
  fc.assert(fc.property(nonsense, fc.constantFrom(...sources), (draft, source) => {
    try {
      const made = finishArtifact(draft.mode, draft, source)
      const faults = findArtifactFaults(draft.mode, made, source).filter((fault) => !/too short|no content/.test(fault))
      if (faults.length > 0) throw new Error(faults.join('; '))
      for (const [, text] of made.content.matchAll(/^> “(.*)” \(/gm)) {
        const said = source.sentences.map((sentence) => sentence.words.map((word) => word.text).join('')).join('')
        if (draft.mode === 'blog' && !said.includes((text ?? '').replace(/\\(.)/g, '$1'))) throw new Error(`not said: ${text}`)
      }
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error
    }
  }), { numRuns: 1000 })
})

t.test('an engine that answers nonsense: every mode has an artifact with true quotes', async (t) => {
  const llm = engineOf('llm', async (mode) =>
    fc.sample(nonsense.filter((draft) => draft.mode === mode), { numRuns: 1, seed: 7 })[0] as ArtifactDraft)
  const { artifacts, addTalk } = build(t, { engines: [llm, working()] })
  const id = addTalk()
  for (const mode of ARTIFACT_MODES) t.strictSame(findQuoteFaults(await artifacts.repurpose(id, READER, mode), talk), [], mode)
})

t.test('quotes have the names that people gave to speakers', async (t) => {
  const { artifacts, addTalk, speakers, transcripts, inTransaction } = build(t)
  const id = addTalk()
  inTransaction(() => {
    transcripts.nameSpeakers(id, (segments) => segments.map(({ words, ...segment }) =>
      ({ ...segment, speaker: 'Speaker 1', words: words.map((word) => ({ ...word, speaker: 'Speaker 1' })) })))
    speakers.replace(id, [{ number: 1, talkMs: 1 }])
  })
  const whoSpeaks = async (): Promise<unknown> => (await artifacts.read(id, READER, 'quotes')).quotes?.[0]?.speaker
  t.equal(await whoSpeaks(), 'Speaker 1')
  speakers.replace(id, [{ number: 1, talkMs: 1, name: 'Ada' }])
  t.equal(await whoSpeaks(), 'Ada')
})
