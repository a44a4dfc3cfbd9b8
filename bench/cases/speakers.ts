/** Speakers: who talks when in the labelled recordings, and what ten hours cost. */
import { findSpeakerTurns } from '../../dist/domain/speaker-turns.js'
import { listRecordings } from '../../dist/evaluate/folder.js'
import { formatBytes } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import { measureSpeakers } from '../../dist/evaluate/speaker-scores.js'
import { toEngine } from '../../dist/evaluate/speaker-table.js'
import { AUDIO } from '../../test/support/paths.ts'
import { madeUpTalk } from '../../test/support/speaker-pieces.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

/** What one thread may take of a second of sound, in seconds. */
const MOST_REAL_TIME = 0.03
/** The longest time, in ms of processor time, until finding turns notices that it has to stop. */
const MOST_DEAF_MS = 100

export const speakers: Benchmark = {
  name: 'speakers',
  summary: 'diarization error rate of the labelled recordings, real-time factor, and the cost of finding turns in ten hours',
  minutes: 3,
  run
}

const processorMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Finds the turns of made-up voice prints of so many minutes. `deafMs`: the longest processor time between two looks at the flag. */
function findLong (minutes: number, voices: number) {
  const pieces = madeUpTalk(minutes, voices, 256)
  const residentBefore = process.memoryUsage.rss()
  const startedMs = processorMs()
  let [lastMs, deafMs] = [startedMs, 0]
  const look = (): void => {
    const now = processorMs()
    deafMs = Math.max(deafMs, now - lastMs)
    lastMs = now
  }
  const turns = findSpeakerTurns({ pieces, count: {} }, look)
  look()
  return {
    minutes, voices, found: new Set(turns.map(({ voice }) => voice)).size, turns: turns.length, deafMs,
    seconds: (lastMs - startedMs) / 1000, bytes: process.memoryUsage.rss() - residentBefore
  }
}

function toLong (rows: ReadonlyArray<ReturnType<typeof findLong>>): Table {
  return {
    title: 'Finding turns in made-up voice prints',
    columns: ['minutes', 'voices', 'found', 'turns', 'processor seconds', 'stops within', 'more memory'],
    rows: rows.map(({ minutes, voices, found, turns, seconds, deafMs, bytes }) =>
      [minutes, voices, found, turns, seconds.toFixed(1), `${deafMs.toFixed(0)} ms`, formatBytes(bytes)])
  }
}

async function run ({ options: { quick }, scratch, log }: BenchContext): Promise<Report> {
  const { recordings } = listRecordings([AUDIO, ...(process.env['STENOBOX_BENCH_MEETINGS']?.split(',') ?? [])])
  log('labelled recordings …')
  // An empty directory has no speaker models, so the bundled one is measured.
  const scores = await measureSpeakers(recordings, [], process.env['STENOBOX_MODELS_DIR'] ?? scratch, { scratch, log })
  log('ten hours …')
  const long = quick ? [findLong(60, 4)] : [findLong(60, 4), findLong(600, 4), findLong(600, 16)]
  const slowest = Math.max(...scores.map(({ realTimeFactor }) => realTimeFactor))
  const deafMs = Math.max(...long.map((one) => one.deafMs))
  return {
    result: `real-time factor at most ${slowest.toFixed(3)} on one thread; finding turns stops within ${deafMs.toFixed(0)} ms.`,
    passed: scores.length > 0 && slowest <= MOST_REAL_TIME && deafMs <= MOST_DEAF_MS,
    tables: [toEngine(scores), toLong(long)],
    notes: [
      'STENOBOX_BENCH_MEETINGS: folders with more recordings and their RTTM files, separated by commas.',
      'Words with the wrong speaker need transcripts: stenobox evaluate FOLDER prints them.',
      'kill -9 twenty times during the stage: STENOBOX_TEST_KILLS=20 node test/e2e/speakers.test.ts'
    ],
    figures: { scores, long }
  }
}
