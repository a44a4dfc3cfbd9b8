/** The steps of jobs over real stores and files; engines do what the test says, and a clock goes when told. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Test } from 'tap'
import { PLANS } from '../../dist/domain/access.js'
import type { MediaFacts } from '../../dist/engine/media/ffmpeg.js'
import type { SpeechEngine } from '../../dist/engine/speech/engine.js'
import type { SpeakerEngines } from '../../dist/engine/speech/speaker-choice.js'
import type { SpeakerEngine } from '../../dist/engine/speech/speakers.js'
import type { Embedder } from '../../dist/engine/text/embedder.js'
import { createDecoding } from '../../dist/service/decoding.js'
import { createDiarizing } from '../../dist/service/diarizing.js'
import { createEnding } from '../../dist/service/ending.js'
import { createIndexing } from '../../dist/service/indexing.js'
import { createPlans } from '../../dist/service/plans.js'
import { createSound } from '../../dist/service/sound.js'
import { createSpeakers } from '../../dist/service/speakers.js'
import { createStages } from '../../dist/service/stages.js'
import { createTranscribing } from '../../dist/service/transcribing.js'
import { createFiles } from '../../dist/store/files.js'
import type { UsageStore } from '../../dist/store/usage.js'
import { NEVER } from './never.ts'
import { createClock } from './clock.ts'
import { openStores } from './store.ts'

const unused = (): never => { throw new Error('not part of this test') }

/** A speech engine of which a test uses only some parts. */
const speechOf = (parts: Partial<SpeechEngine> = {}): SpeechEngine => ({
  slots: 1, hasModel: () => false, transcribe: unused, detectLanguage: unused, detectSpeech: unused, prepareDetector: unused,
  describe: unused, warmUp: unused, listLoaded: () => [], ...parts
})

/** One engine, whatever happens. */
const chooseAlways = (engine: SpeakerEngine): SpeakerEngines =>
  ({ choose: () => ({ engine, name: engine.id, defect: undefined }), setAside: () => false })

export type StepChanges = {
  now?: number
  speech?: Partial<SpeechEngine>
  /** Absent: speakers are not identified. */
  speakerEngine?: SpeakerEngine
  speakerEngines?: SpeakerEngines
  speakerLimits?: { pieceMs: number, turnsMs: number }
  /** Absent: no embedding model is installed. */
  embedder?: Embedder
  /** In place of `embedder`, where it changes. */
  chooseEmbedder?: () => Embedder | undefined
  usage?: Partial<UsageStore>
  /** Stands in for writing down whom to tell. */
  enqueue?: (jobId: number) => void
  /** What ffmpeg makes of every recording. */
  decode?: () => AsyncGenerator<Buffer>
  /** Channels of every recording; absent: one. */
  channels?: number
  release?: (jobId: number) => Promise<void>
  requireRoom?: (bytes: number) => Promise<void>
}

const FACTS: MediaFacts = { durationMs: 1000, exactDurationMs: undefined }

export async function openSteps (t: Pick<Test, 'teardown' | 'testdir'>, changes: StepChanges = {}) {
  const { now = 0, speech, speakerEngine, speakerLimits, embedder, usage, enqueue = () => {}, decode, release = async () => {} } = changes
  const { requireRoom = async () => {} } = changes
  const stores = openStores(t)
  const clock = createClock(now)
  const dataDir = t.testdir()
  const files = createFiles(dataDir)
  await files.prepare()
  const warnings: string[] = []
  const log = { info () {}, warn (_: object, message: string) { warnings.push(message) }, error () {} }
  const base = { ...stores, files, now: clock.now, log }
  const queue = stores.createQueue(clock.now)
  const stages = createStages(base)
  const ending = createEnding({
    ...base, queue, usage: { ...stores.usage, ...usage }, deliveries: { enqueue }, retention: { release }
  })
  const steps = { ...base, queue, stages, ending, speech: speechOf(speech) }
  const ffmpeg = { probeMedia: async () => ({ ...FACTS, channels: changes.channels }), decodeAudio: decode ?? unused }
  const submit = { requireRoom }
  const sound = createSound({ ...base, submit, ffmpeg, maxMediaSeconds: 3600 })
  const plans = createPlans({ planLimits: stores.planLimits })
  if (!speakerEngine) for (const plan of PLANS) plans.set(plan, { diarization: false })
  const indexing = createIndexing({ ...steps, embedder: changes.chooseEmbedder ?? (() => embedder) })
  const engine: SpeakerEngine = speakerEngine ?? {
    pieceMs: 60_000, id: 'test', prepare: unused, observe: unused, findTurns: unused, fitToWords: (turns) => turns
  }
  const engines = changes.speakerEngines ?? chooseAlways(engine)
  const diarizing = createDiarizing({ ...steps, engines, sound, plans, indexing, ...(speakerLimits ? { limits: speakerLimits } : {}) })
  const decoding = createDecoding({ ...steps, sound, diarizing })
  const speakers = createSpeakers({ ...base, plans, submit })
  const transcribing = createTranscribing(steps)
  return {
    ...stores,
    dataDir,
    files,
    clock,
    warnings,
    queue,
    stages,
    ending,
    decoding,
    sound,
    diarizing,
    plans,
    /** What callers do with speakers; `speakers` is the store. */
    speakerService: speakers,
    transcribing,
    indexing,
    /** Stores a recording for a job that was made without one. */
    storeMedia (id: number): void {
      const path = files.mediaPath(stores.media.find(stores.jobs.find(id)?.mediaId ?? 0)?.file ?? '')
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, 'sound')
    },
    /** Indexes and completes all jobs that only lack these steps. */
    async completeAll (): Promise<void> {
      for (let claim = indexing.claim(); claim; claim = indexing.claim()) await indexing.index(claim, NEVER)
      for (let claim = ending.claim(); claim; claim = ending.claim()) await ending.complete(claim)
    }
  }
}
