/** One owner behaves well, another attacks: what does the first one notice, and how much memory does it take? */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import type { Appliance } from '../../dist/evaluate/appliance.js'
import { runFfmpeg } from '../../dist/evaluate/machine/ffmpeg.js'
import { endWithUs } from '../../dist/evaluate/machine/programs.js'
import { largest, percentile } from '../../dist/evaluate/machine/statistics.js'
import { formatMs } from '../../dist/evaluate/report.js'
import { startNameServer } from '../../test/support/name-server.ts'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { cutRecording, findFixture } from '../lib/recordings.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { addHour } from '../neighbours/library.ts'
import { ATTACKS } from '../neighbours/attacks.ts'
import type { Attack } from '../neighbours/attacks.ts'
import { GOOD_HOST, startGoodOwner } from '../neighbours/good-owner.ts'
import type { GoodOwner, Kind, Visit } from '../neighbours/good-owner.ts'
import { watchTree } from '../neighbours/process-tree.ts'

const SECONDS = 60
const QUICK_SECONDS = 6
/** 5 MB of silence: an upload that costs little to transcribe. */
const UPLOAD_SECONDS = 28
const MAX_RATIO = 3
/** Up to this, nobody notices a difference; on an idle machine, requests take two or three milliseconds. */
const UNNOTICED_MS = 50
const MAX_OWN_BYTES = 1024 ** 3
const KINDS: readonly Kind[] = ['poll', 'part', 'upload', 'clip']
const MIB = 1024 ** 2

export const neighbours: Benchmark = {
  name: 'neighbours',
  summary: 'a well-behaved owner beside a hostile one, attack by attack: p50, p99 and failures, alone and beside it; memory',
  minutes: Math.ceil(ATTACKS.length * 2.5),
  run
}

type Outcome = { attack: Attack, alone: Visit, beside: Visit, ownBytes: number, treeBytes: number }
type Place = {
  appliance: Appliance, owner: GoodOwner, enemyKey: string, hourId: number, scratch: string, seconds: number, clipEverySeconds: number
}

async function run (context: BenchContext): Promise<Report> {
  const { scratch, options: { quick, minutes, attacks }, log } = context
  const chosen = attacks.length === 0 ? ATTACKS : ATTACKS.filter(({ name }) => attacks.includes(name))
  const seconds = minutes === undefined ? quick ? QUICK_SECONDS : SECONDS : minutes * 60
  const names = await startNameServer({ [GOOD_HOST]: '127.0.0.1' })
  const modelsDir = await installModel(join(scratch, 'models-neighbours'), STARTER_WEIGHTS, 5)
  const clip = await cutRecording(findFixture('talk').path, join(scratch, 'clip.flac'), 2.6, 3)
  const silence = join(scratch, 'silence.wav')
  await runFfmpeg(['-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=stereo', '-t', String(UPLOAD_SECONDS), silence])
  const outcomes: Outcome[] = []
  try {
    for (const [index, attack] of chosen.entries()) {
      // A fresh appliance for each attack: what one leaves behind must not count for the next.
      const dataDir = join(scratch, `data-${index}`)
      const settings = {
        STENOBOX_ALLOW_SOURCES: '127.0.0.1', STENOBOX_ALLOW_WEBHOOKS: '127.0.0.1', STENOBOX_MAX_QUEUED: '200',
        BENCH_NAME_SERVER: names.address, NODE_OPTIONS: `--import ${new URL('../neighbours/own-names.ts', import.meta.url).href}`
      }
      const setup = { dataDir, modelsDir, settings }
      const [key, enemyKey] = [await createKey(setup, 'good'), await createKey(setup, 'hostile')]
      const hourId = addHour(dataDir, 'hostile')
      const appliance = await startAppliance(setup)
      const owner = await startGoodOwner({ url: appliance.url, key, clip, upload: readFileSync(silence) })
      try {
        const place = {
          appliance, owner, enemyKey, hourId, scratch: join(scratch, `enemy-${index}`), seconds, clipEverySeconds: quick ? 1 : 15
        }
        const outcome = await measure(place, attack)
        log(`${attack.name}: poll p99 ${formatMs(p99(outcome.alone, 'poll'))} alone, ${formatMs(p99(outcome.beside, 'poll'))} beside, ` +
          `${outcome.beside.failures.length} failures, ${(outcome.ownBytes / MIB).toFixed(0)} MiB`)
        outcomes.push(outcome)
      } finally {
        await owner.close()
        await appliance.stop()
      }
    }
  } finally {
    names.close()
  }
  return report(outcomes, seconds)
}

/** Alone, beside, alone, beside, each for half of the time: the machine may be busier at one time than at another. */
async function measure (place: Place, attack: Attack): Promise<Outcome> {
  const { appliance, owner, scratch, seconds, clipEverySeconds } = place
  mkdirSync(scratch, { recursive: true })
  const alone: Visit[] = []
  const beside: Visit[] = []
  let peak = { ownBytes: 0, treeBytes: 0 }
  for (const half of [1, 2]) {
    alone.push(await owner.behave(seconds / 2, clipEverySeconds))
    const stopWatching = watchTree(appliance.pid)
    const stopAttack = startAttack(attack, place)
    // Until its files are made and its first requests are sent.
    await sleep(half === 1 ? 1000 : 500)
    beside.push(await owner.behave(seconds / 2, clipEverySeconds))
    await stopAttack()
    const seen = stopWatching()
    peak = { ownBytes: Math.max(peak.ownBytes, seen.ownBytes), treeBytes: Math.max(peak.treeBytes, seen.treeBytes) }
    await sleep(500)
  }
  return { attack, alone: merge(alone), beside: merge(beside), ...peak }
}

function startAttack ({ name }: Attack, { appliance: { url }, enemyKey, hourId, scratch }: Place): () => Promise<void> {
  const program = fileURLToPath(new URL('../neighbours/hostile-owner.ts', import.meta.url))
  // An attacker has a machine of their own: here they give way to the appliance and to the good owner.
  const child = spawn('nice', ['-n', '15', process.execPath, '--no-warnings', program, name], {
    env: { PATH: process.env['PATH'], BENCH_URL: url, BENCH_KEY: enemyKey, BENCH_SCRATCH: scratch, BENCH_HOUR: String(hourId) },
    stdio: ['ignore', 'ignore', 'inherit']
  })
  endWithUs(child)
  const closed = once(child, 'close')
  return async () => {
    child.kill('SIGKILL')
    await closed
  }
}

function merge (visits: readonly Visit[]): Visit {
  const timesOf = (kind: Kind): number[] => visits.flatMap(({ times }) => times[kind])
  return {
    times: { poll: timesOf('poll'), part: timesOf('part'), upload: timesOf('upload'), clip: timesOf('clip') },
    failures: visits.flatMap(({ failures }) => failures)
  }
}

const p99 = ({ times }: Visit, kind: Kind): number => percentile(times[kind], 0.99)

/** Kinds of requests that the good owner notices to be slower. */
function slowKinds ({ alone, beside }: Outcome): Kind[] {
  return KINDS.filter((kind) => kind !== 'clip' && p99(beside, kind) > Math.max(UNNOTICED_MS, MAX_RATIO * p99(alone, kind)))
}

function report (outcomes: readonly Outcome[], seconds: number): Report {
  const failures = outcomes.flatMap(({ attack, beside }) => beside.failures.map((failure) => `${attack.name}: ${failure}`))
  const aloneFailures = outcomes.flatMap(({ alone }) => alone.failures)
  const slow = outcomes.filter((outcome) => slowKinds(outcome).length > 0)
  const own = largest(outcomes.map(({ ownBytes }) => ownBytes))
  const pair = (outcome: Outcome, kind: Kind, share: number): string =>
    [outcome.alone, outcome.beside].map(({ times }) => formatMs(percentile(times[kind], share))).join(' → ')
  const longest = ({ alone, beside }: Outcome): string => [alone, beside].map(({ times }) => formatMs(largest(times.clip))).join(' → ')
  return {
    result: `${failures.length} failures of the good owner beside ${outcomes.length} attacks; p99 more than ${MAX_RATIO} times that of ` +
      `being alone (and over ${UNNOTICED_MS} ms) beside ${slow.length}; the server takes at most ${(own / MIB).toFixed(0)} MiB.`,
    passed: failures.length === 0 && slow.length === 0 && own < MAX_OWN_BYTES,
    tables: [{
      title: `The good owner alone → beside a hostile one, ${seconds} s each`,
      columns: ['attack', 'poll p50', 'poll p99', 'part p99', 'upload p99', 'clip max', 'failures', 'server', 'with programs'],
      rows: outcomes.map((outcome) => [
        outcome.attack.name, pair(outcome, 'poll', 0.5), pair(outcome, 'poll', 0.99), pair(outcome, 'part', 0.99),
        pair(outcome, 'upload', 0.99), longest(outcome), outcome.beside.failures.length,
        `${(outcome.ownBytes / MIB).toFixed(0)} MiB`, `${(outcome.treeBytes / MIB).toFixed(0)} MiB`
      ])
    }],
    notes: [
      ...outcomes.map(({ attack: { name, about } }) => `${name}: ${about}`),
      'poll: GET of a job, 20 a second. part: PUT of 1 MiB. upload: 5 MB from init to complete. clip: from a link to its webhook.',
      ...slow.map((outcome) => `slower beside "${outcome.attack.name}": ${slowKinds(outcome).join(', ')}`),
      ...failures.slice(0, 20), ...aloneFailures.slice(0, 5).map((failure) => `ALONE: ${failure}`)
    ],
    figures: {
      seconds,
      outcomes: outcomes.map(({ attack: { name }, ...outcome }) => ({ attack: name, ...outcome }))
    }
  }
}
