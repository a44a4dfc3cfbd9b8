/** kill -9 again and again while a recording is transcribed: is the transcript the one of a run that nobody disturbed? */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import type { Appliance, ApplianceOptions } from '../../dist/evaluate/appliance.js'
import { countClaims, readProgress, readSegments, watchClaims } from '../../test/support/claims.ts'
import type { Claims, Progress, StoredSegment } from '../../test/support/claims.ts'
import { createClient } from '../lib/client.ts'
import type { SubmitOptions } from '../../dist/evaluate/client.js'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { createRandom } from '../../dist/evaluate/sounds/random.js'
import { findFixture, loopRecording } from '../lib/recordings.ts'
import { formatMs, formatSeconds } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const SEED = 1
/** The first kills come soon, so that some fall into decoding and the samples of the language. */
const SOON_MS = 500

type Kill = Pick<Progress, 'stage' | 'running' | 'done'> & { afterMs: number }
type Run = { segments: StoredSegment[], claims: Claims, progress: Progress | undefined, kills: Kill[], seconds: number }
/** `whole`: the run to compare with, which tells how much work there is. */
type Killing = { times: number, whole: Run }

export const crash: Benchmark = {
  name: 'crash',
  summary: 'kill -9 at random moments of a transcription: nothing lost, nothing twice, no word different',
  minutes: 3,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const { quick, language } = context.options
  const seconds = quick ? 120 : 600
  const times = quick ? 5 : 20
  const workers = availableParallelism()
  const recording = await loopRecording(findFixture('talk').path, join(context.scratch, 'crash.mp3'), seconds)
  const modelsDir = await installModel(join(context.scratch, 'models-crash'), STARTER_WEIGHTS, 5)
  const submit = language === 'given' ? { language: 'en' } : {}
  const transcribe = async (name: string, killing?: Killing): Promise<Run> =>
    await transcribeOnce(context, { dataDir: join(context.scratch, name), modelsDir, workers }, { recording, submit, killing })
  context.log('undisturbed …')
  const whole = await transcribe('data-whole')
  const disturbed = await transcribe('data-crash', { times, whole })
  return report(whole, disturbed, { seconds, times, workers })
}

type Work = { recording: string, submit: SubmitOptions, killing: Killing | undefined }

async function transcribeOnce (context: BenchContext, setup: ApplianceOptions, { recording, submit, killing }: Work): Promise<Run> {
  const key = await createKey(setup, 'bench')
  let appliance = await startAppliance(setup)
  try {
    watchClaims(setup.dataDir)
    const id = await createClient(appliance.url, key).submit(recording, submit)
    const startedMs = performance.now()
    const kills: Kill[] = []
    if (killing) appliance = await killOften(context, { setup, killing, id, kills }, appliance)
    await createClient(appliance.url, key).waitFor(id)
    const seconds = (performance.now() - startedMs) / 1000
    return {
      segments: readSegments(setup.dataDir, id),
      claims: countClaims(setup.dataDir),
      progress: readProgress(setup.dataDir, id),
      kills,
      seconds
    }
  } finally {
    await appliance.kill()
  }
}

/** Kills the appliance at random moments and starts it again each time, while the job is not done; the one that lives. */
async function killOften (
  { log }: BenchContext,
  { setup, killing, id, kills }: { setup: ApplianceOptions, killing: Killing, id: number, kills: Kill[] },
  first: Appliance
): Promise<Appliance> {
  const random = createRandom(SEED)
  let appliance = first
  for (let done = 0; kills.length < killing.times;) {
    const afterMs = random() * longestLifeMs(killing, done, kills.length)
    await sleep(afterMs)
    await appliance.kill()
    const { stage, status, running, ...now } = readProgress(setup.dataDir, id) ?? { stage: '', status: '', running: 0, done: 0 }
    done = now.done
    if (status !== 'completed' && status !== 'failed') kills.push({ stage, running, done, afterMs })
    log(`kill ${kills.length} after ${formatMs(afterMs)}: ${stage}, ${done} windows done`)
    appliance = await startAppliance(setup)
    if (status === 'completed' || status === 'failed') break
  }
  return appliance
}

/** Twice its share of what is left on average is the most, so that kills fall everywhere, and the last still finds much to disturb. */
function longestLifeMs ({ times, whole }: Killing, done: number, kills: number): number {
  if (kills < times / 4) return SOON_MS
  const leftMs = 1000 * whole.seconds * (1 - done / (whole.progress?.done ?? 1))
  return leftMs * Math.min(0.4, 2 / (times - kills))
}

const textOf = (segments: readonly StoredSegment[]): string => segments.map(({ text }) => text).join('')

function report (whole: Run, disturbed: Run, { seconds, times, workers }: { seconds: number, times: number, workers: number }): Report {
  const { kills, claims, progress } = disturbed
  const most = workers * kills.length
  const statements = [
    {
      what: 'kills while the job was not done',
      found: `${kills.length} of ${times}`,
      holds: kills.length === times && progress?.stage === 'complete'
    },
    {
      what: 'jobs; completed',
      found: `${progress?.jobs ?? 0}; ${progress?.status ?? 'none'}`,
      holds: progress?.jobs === 1 && progress.status === 'completed'
    },
    {
      what: 'same text as the undisturbed run',
      found: `${textOf(disturbed.segments).length} characters`,
      holds: textOf(disturbed.segments) === textOf(whole.segments)
    },
    {
      what: 'same times and probabilities of all words',
      found: `${disturbed.segments.length} segments`,
      holds: isDeepStrictEqual(disturbed.segments, whole.segments)
    },
    { what: `windows begun again, at most ${most}`, found: claims.repeated, holds: claims.repeated <= most }
  ]
  const passed = whole.segments.length > 0 && statements.every(({ holds }) => holds)
  return {
    result: `${kills.length} kills of a ${seconds / 60}-minute recording: ${claims.repeated} windows decoded more than once ` +
      `(${workers} workers: at most ${most}).`,
    passed,
    tables: [{
      title: 'What has to hold',
      columns: ['statement', 'found', 'holds'],
      rows: statements.map(({ what, found, holds }) => [what, found, holds ? 'yes' : 'NO'])
    }, {
      title: 'Kills',
      columns: ['kill', 'ready for', 'stage', 'windows done', 'running'],
      rows: kills.map(({ afterMs, stage, done, running }, index) => [index + 1, formatMs(afterMs), stage, done, running])
    }],
    notes: [
      'Killed with SIGKILL at random moments (seeded) after GET /readyz said 200. "Begun" counts every claim of a window, ' +
        'language samples included, by a trigger in the database.',
      `Undisturbed ${formatSeconds(whole.seconds)}, with kills and restarts ${formatSeconds(disturbed.seconds)}.`
    ],
    figures: { kills, claims, workers, seconds, wholeSeconds: whole.seconds, disturbedSeconds: disturbed.seconds, statements }
  }
}
