/** The stage `speakers`: beside the windows, resumable, fair, and never at the price of a transcript. */
import { existsSync } from 'node:fs'
import t from 'tap'
import { MAX_ATTEMPTS } from '../../dist/domain/job.js'
import { SpeechError } from '../../dist/domain/speech-error.js'
import { ANY, build } from '../support/diarization.ts'
import { createTestSpeakers } from '../support/speaker-engine.ts'

const CALLER = { ownerId: 1, plan: 'enterprise' } as const

t.test('pieces are observed and turns are found beside the windows; words are labelled after both', async (t) => {
  for (const order of ['pieces first', 'windows first'] as const) {
    const steps = await build(t, 25)
    const { addRecording, completeAll, decode, fitted, found, jobs, observed, runPiece, runPieces, runWindows } = steps
    const { speakers, stageOf, transcripts, work } = steps
    const id = addRecording()
    await decode()
    t.equal(stageOf(id), 'transcribe')
    if (order === 'windows first') {
      await runWindows(id)
      t.equal(stageOf(id), 'speakers')
      t.equal(found.length, 0)
    }
    for (let piece = 0; piece < 3; piece++) await runPiece()
    t.strictSame(observed, [0, 10_000, 20_000])
    await runPiece()
    t.strictSame(found.map(({ pieces, count }) => [pieces.map(String), count]), [[['0-10000', '10000-20000', '20000-25000'], {}]])
    if (order === 'pieces first') {
      t.equal(work.hasOpen({ jobId: id, kind: 'speakers' }), false, 'nothing to do until the last window')
      await runWindows(id)
    }
    t.equal(stageOf(id), 'speakers')
    t.strictSame(fitted, [])
    await runPieces(id)
    t.strictSame([found.length, fitted], [1, [25]])
    t.equal(stageOf(id), 'index')
    await completeAll()
    t.match(jobs.find(id), { status: 'completed' })
    const words = transcripts.list(id).flatMap((segment) => segment.words)
    t.match(words.slice(0, 2), [{ speaker: 'Speaker 1' }, { speaker: 'Speaker 2', speakerConfidence: 0.3 }])
    t.notOk('speakerConfidence' in (words[0] ?? {}), 'only doubtful labels carry their confidence')
    t.strictSame(speakers.list(id), [{ number: 1, talkMs: 13 * 600 }, { number: 2, talkMs: 12 * 600 }])
    t.strictSame([speakers.listPieces(id), speakers.findTurns(id)], [[], undefined], 'observations are removed')
  }
})

t.test('a plan without diarization and the option false cost nothing', async (t) => {
  const { addRecording, completeAll, decode, diarizing, jobs, plans, runWindows, speakers } = await build(t, 5)
  plans.set('enterprise', { diarization: false })
  const onPlan = addRecording()
  await decode()
  plans.set('enterprise', { diarization: true })
  const onOption = addRecording('a', { speakers: false })
  await decode()
  t.equal(diarizing.claim(ANY), undefined)
  for (const id of [onPlan, onOption]) {
    await runWindows(id)
    await completeAll()
    t.match([jobs.find(id)?.status, speakers.find(id)], ['completed', undefined])
  }
})

t.test('what the caller knows of the number of speakers reaches the engine', async (t) => {
  const { addRecording, decode, finishAll, found } = await build(t, 5)
  const id = addRecording('a', { speakers: { min: 2, max: 2 } })
  await decode()
  await finishAll(id)
  t.match(found, [{ count: { min: 2, max: 2 } }])
})

t.test('silence has no speakers, and nothing is observed', async (t) => {
  const { addRecording, decode, finishAll, jobs, observed, speakers } = await build(t, 60, { probability: 0 })
  const id = addRecording()
  await decode()
  await finishAll(id)
  t.match([jobs.find(id)?.status, speakers.find(id)?.state, speakers.list(id), observed], ['completed', 'done', [], []])
})

for (const [code, calls] of [['model_unavailable', 1], ['internal_error', 2], ['out_of_memory', 2]] as const) {
  t.test(`${code} of the engine costs the speakers, never the transcript`, async (t) => {
    let tries = 0
    const observe = async () => { tries++; throw new SpeechError(code, 'broken') }
    const { addRecording, decode, finishAll, jobs, speakers, transcripts, warnings } = await build(t, 25, { engine: { observe } })
    const id = addRecording()
    await decode()
    await finishAll(id)
    t.match([jobs.find(id)?.status, speakers.find(id)], ['completed', { state: 'failed', failure: code }])
    t.equal(transcripts.list(id).flatMap(({ words }) => words).length, 25)
    t.equal(tries, calls)
    t.equal(warnings.at(-1), 'speakers could not be identified')
  })
}

t.test('models that cannot be used cost neither the transcript nor the speakers; readers are told', async (t) => {
  const broken = createTestSpeakers({ id: 'pulled', observe: async () => { throw new SpeechError('model_unavailable', 'broken') } }).engine
  const { engine } = createTestSpeakers()
  let defect: string | undefined
  const speakerEngines = {
    choose: () => ({ engine: defect === undefined ? broken : engine, name: '', defect }),
    setAside: ({ id }: { id: string }, reason: string) => { if (id === 'pulled') defect = reason; return id === 'pulled' }
  }
  const { addRecording, decode, finishAll, jobs, speakers, transcripts, warnings } = await build(t, 25, { speakerEngines })
  const id = addRecording()
  await decode()
  await finishAll(id)
  t.match([jobs.find(id)?.status, speakers.find(id), defect], ['completed', { state: 'done', isSubstitute: true }, 'broken'])
  t.equal(transcripts.list(id).flatMap(({ words }) => words).filter(({ speaker }) => speaker !== undefined).length, 25)
  t.strictSame(warnings, ['speaker models cannot be used, going on with the bundled one'])
})

t.test('turns that cannot be found, or words that nobody says, cost only the speakers', async (t) => {
  const findTurns = async () => { throw new Error('broken') }
  const broken = await build(t, 5, { engine: { findTurns } })
  const id = broken.addRecording()
  await broken.decode()
  await broken.finishAll(id)
  t.match([broken.jobs.find(id)?.status, broken.speakers.find(id)], ['completed', { state: 'failed', failure: 'internal_error' }])
  const none = await build(t, 5, { engine: { findTurns: async () => [] } })
  const other = none.addRecording()
  await none.decode()
  await none.finishAll(other)
  t.match([none.jobs.find(other)?.status, none.speakers.find(other)?.state, none.speakers.list(other)], ['completed', 'done', []])
})

t.test('a process that died loses one piece, and the next one continues there', async (t) => {
  const { addRecording, clock, decode, diarizing, finishAll, observed, queue, runPiece, work } = await build(t, 45)
  const id = addRecording()
  await decode()
  await runPiece()
  await runPiece()
  diarizing.claim(ANY)
  work.takeBack()
  t.match(diarizing.claim(ANY), { attempt: 2 })
  clock.advance(3_600_000)
  queue.takeBack()
  await finishAll(id)
  t.strictSame(observed, [0, 10_000, 20_000, 30_000, 40_000])
})

t.test('a piece that kills the process every time costs the speakers, never the transcript', async (t) => {
  const { addRecording, decode, diarizing, ending, finishAll, jobs, runPieces, speakers, work } = await build(t, 5)
  const id = addRecording()
  await decode()
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    t.ok(diarizing.claim(ANY))
    work.takeBack()
  }
  await ending.recover()
  t.equal(jobs.find(id)?.status, 'processing')
  await runPieces(id)
  t.match(speakers.find(id), { state: 'failed', failure: 'worker_crashed' })
  await finishAll(id)
  t.equal(jobs.find(id)?.status, 'completed')
})

t.test('a process that dies between finding the turns and labelling finds them once', async (t) => {
  const { addRecording, decode, diarizing, finishAll, found, runPieces, runWindows, speakers, work } = await build(t, 5)
  const id = addRecording()
  await decode()
  await runPieces(id)
  await runWindows(id)
  t.ok(diarizing.claim(ANY))
  work.takeBack()
  await finishAll(id)
  t.match([found.length, speakers.find(id)?.state, speakers.list(id).length], [1, 'done', 2])
})

t.test('an engine of another version observes everything again, and finds turns again', async (t) => {
  const { addRecording, decode, engine, finishAll, found, observed, runPiece, runPieces } = await build(t, 25)
  const id = addRecording()
  await decode()
  await runPiece()
  engine.id = 'test-2'
  await runPieces(id)
  t.strictSame([observed, found.length], [[0, 0, 10_000, 20_000], 1])
  engine.id = 'test-3'
  await finishAll(id)
  t.strictSame([observed.slice(4), found.length], [[0, 10_000, 20_000], 2])
})

t.test('turns for another number of speakers are found again from the same observations', async (t) => {
  let isBroken = true
  const { addRecording, decode, finishAll, found, observed, runPieces, speakers, speakerService, storeMedia } = await build(t, 25, {
    engine: { fitToWords (turns) { if (isBroken) throw new Error('broken'); return turns } }
  })
  const id = addRecording()
  await decode()
  await finishAll(id)
  t.match(speakers.find(id), { state: 'failed', failure: 'internal_error' })
  storeMedia(id)
  isBroken = false
  await speakerService.identify(id, CALLER, { exact: 2 })
  await runPieces(id)
  t.equal(observed.length, 3)
  t.strictSame(found.map(({ count }) => count), [{}, { min: 2, max: 2 }])
  t.equal(speakers.find(id)?.state, 'done')
})

t.test('a job whose sound is gone is decoded again, and its speakers wait for that', async (t) => {
  let isGone = true
  const { addRecording, decode, diarizing, finishAll, jobs, runPiece, speakers, stageOf } = await build(t, 25, {
    engine: {
      async observe ({ startMs }) {
        if (isGone) throw new SpeechError('audio_missing', 'gone')
        return Buffer.from(String(startMs))
      }
    }
  })
  const id = addRecording()
  await decode()
  await runPiece()
  t.equal(stageOf(id), 'decode')
  t.equal(diarizing.claim(ANY), undefined)
  isGone = false
  await decode()
  await finishAll(id)
  t.match([jobs.find(id)?.status, speakers.find(id)?.state], ['completed', 'done'])
})

t.test('an aborted piece is given back and does not count', async (t) => {
  const { addRecording, decode, diarizing } = await build(t, 5, {
    engine: { observe: async () => { throw new SpeechError('aborted', 'aborted') } }
  })
  addRecording()
  await decode()
  const controller = new AbortController()
  controller.abort(new Error('stopping'))
  const claim = diarizing.claim(ANY)
  if (claim) await diarizing.run(claim, controller.signal)
  t.match(diarizing.claim(ANY), { attempt: 1, errors: 0 })
})

t.test('owners take turns, and so do the recordings of one owner', async (t) => {
  const { addRecording, decode, runPiece } = await build(t, 65)
  const [a1, a2, b] = [addRecording('a'), addRecording('a'), addRecording('b')]
  for (let job = 0; job < 3; job++) await decode()
  const served: number[] = []
  for (let turn = 0; turn < 8; turn++) served.push((await runPiece()).jobId)
  t.strictSame(served, [a1, b, a2, b, a1, b, a2, b])
})

t.test('speakers of a completed transcription are identified again from its stored recording', async (t) => {
  let isBroken = true
  const steps = await build(t, 25, {
    engine: {
      async observe ({ path, startMs }) {
        if (isBroken) throw new SpeechError('model_unavailable', 'broken')
        if (!existsSync(path)) throw new SpeechError('audio_missing', 'gone')
        return Buffer.from(String(startMs))
      }
    }
  })
  const { addRecording, db, decode, ending, files, finishAll, found, jobs } = steps
  const { speakerService, speakers, runPiece, runPieces, storeMedia, transcripts } = steps
  const id = addRecording()
  await decode()
  await finishAll(id)
  await t.rejects(speakerService.identify(id, CALLER, true), { code: 'gone' }, 'not without the recording')
  storeMedia(id)
  isBroken = false
  t.match(await speakerService.identify(id, CALLER, { exact: 2 }), { status: 'pending', failure: undefined })
  await t.rejects(speakerService.identify(id, CALLER, true), { code: 'conflict' })
  t.throws(() => speakerService.change(id, CALLER, {}), { code: 'conflict' })
  const before = transcripts.list(id)
  await runPiece()
  await ending.sweep()
  t.ok(existsSync(files.audioPath(id)), 'the sound stays while it is needed')
  t.strictSame([jobs.find(id)?.status, transcripts.list(id)], ['completed', before], 'the transcript is there all the time')
  await runPieces(id)
  t.match(found, [{ count: { min: 2, max: 2 } }])
  t.notOk(existsSync(files.audioPath(id)))
  t.match(speakers.find(id), { state: 'done', failure: undefined })
  t.match(speakerService.list(id, CALLER).speakers, [{ label: 'Speaker 1' }, { label: 'Speaker 2' }])
  t.strictSame(db.prepare('SELECT kind FROM work ORDER BY kind').pluck().all(), ['artifact', 'index'], 'search learns of the speakers')
})

t.test('an engine call that never ends is left alone', async (t) => {
  const { addRecording, decode, finishAll, jobs, speakers } = await build(t, 5, {
    engine: { observe: async () => await new Promise(() => {}) }, speakerLimits: { pieceMs: 1, turnsMs: 1 }
  })
  const id = addRecording()
  await decode()
  await finishAll(id)
  t.match([jobs.find(id)?.status, speakers.find(id)], ['completed', { state: 'failed', failure: 'timeout' }])
})

t.test('deleting a transcription deletes what was observed', async (t) => {
  const { addRecording, db, decode, jobs, runPiece } = await build(t, 25)
  const id = addRecording()
  await decode()
  await runPiece()
  jobs.remove(id)
  for (const table of ['diarization', 'speaker_piece', 'speaker', 'work']) {
    t.equal(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table)
  }
})
