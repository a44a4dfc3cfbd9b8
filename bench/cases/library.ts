/** The library beside transcription: what indexing adds to a transcript, and search while two recordings are transcribed. */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import { ROOT } from '../../dist/evaluate/machine/paths.js'
import { largest, median, percentile } from '../../dist/evaluate/machine/statistics.js'
import { formatMs, formatPercent } from '../../dist/evaluate/report.js'
import { createClient } from '../lib/client.ts'
import type { Client } from '../lib/client.ts'
import { findFixture, loopRecording } from '../lib/recordings.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const MOST_INDEXING = 0.05
/** What a search may take beside two transcriptions, in times of what it takes alone. */
const MOST_SLOWER = 2
const ROUNDS = 3
const SEARCHES = 100
/** Between two searches: a person types. */
const PAUSE_MS = 50
const SUBJECTS = ['what did they decide', 'the weather in the mountains', 'how bread is made', 'who lived in the lighthouse']

type Transcribed = { passages: number, totalMs: number, indexingMs: number }
type Round = { alone: number[], beside: number[] }

export const library: Benchmark = {
  name: 'library',
  summary: 'the share of indexing in a transcription, and search beside two transcriptions, with the models that are installed',
  minutes: 12,
  run
}

async function run ({ options, scratch, log }: BenchContext): Promise<Report> {
  const setup = { dataDir: join(scratch, 'data'), modelsDir: join(ROOT, 'models') }
  const key = await createKey(setup, 'reader')
  const recording = await loopRecording(findFixture('talk').path, join(scratch, 'talk.mp3'), options.quick ? 300 : 600)
  const appliance = await startAppliance(setup)
  try {
    const client = createClient(appliance.url, key)
    await client.waitFor(await client.submit(recording))
    const transcribed: Transcribed[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const made = await transcribe(client, setup.dataDir, recording)
      log(`transcribed in ${formatMs(made.totalMs)}, of which ${formatMs(made.indexingMs)} to index ${made.passages} passages`)
      transcribed.push(made)
    }
    const rounds: Round[] = []
    await searchOften(client, 10)
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await searchOften(client, SEARCHES)
      const beside = await besideTwo(client, recording, async () => await searchOften(client, SEARCHES))
      log(`search: alone ${formatMs(median(alone))}, beside two transcriptions ${formatMs(median(beside))}`)
      rounds.push({ alone, beside })
    }
    return report(transcribed, rounds)
  } finally {
    await appliance.stop()
  }
}

/** Transcribes a recording and watches the database for its piece of indexing, from the moment it may begin to its end. */
async function transcribe (client: Client, dataDir: string, recording: string): Promise<Transcribed> {
  const db = new Database(join(dataDir, 'app.db'), { readonly: true })
  try {
    const startedMs = performance.now()
    const jobId = await client.submit(recording)
    const isIndexing = db.prepare<[number], number>(`
      SELECT count(*) FROM work WHERE job_id = ? AND kind = 'index' AND state IN ('ready', 'running')
    `).pluck()
    let [indexingMs, lookedMs] = [0, performance.now()]
    await client.follow(jobId, {
      everyMs: 5,
      onAnswer () {
        const now = performance.now()
        if (isIndexing.get(jobId) !== 0) indexingMs += now - lookedMs
        lookedMs = now
      }
    })
    const passages = db.prepare<[number], number>('SELECT count(*) FROM passage WHERE job_id = ?').pluck().get(jobId) ?? 0
    return { passages, totalMs: performance.now() - startedMs, indexingMs }
  } finally {
    db.close()
  }
}

/** Times of searches in ms, no two for the same words, so that no vector of a query is at hand. */
async function searchOften (client: Client, count: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const query = new URLSearchParams({ q: `${SUBJECTS[index % SUBJECTS.length]} ${Math.round(performance.now())}` })
    const startedMs = performance.now()
    await client.call('GET', `/api/v1/library/search?${query}`)
    times.push(performance.now() - startedMs)
    await sleep(PAUSE_MS)
  }
  return times
}

/** Runs the work from the first window of two recordings on. Throws when one of them has ended before the work has. */
async function besideTwo<T> (client: Client, recording: string, work: () => Promise<T>): Promise<T> {
  const ids = [await client.submit(recording), await client.submit(recording)]
  for (const id of ids) while ((await client.findJob(id)).progress === 0) await sleep(20)
  const result = await work()
  for (const id of ids) if ((await client.findJob(id)).status !== 'processing') throw new Error('A transcription ended too early.')
  for (const id of ids) await client.waitFor(id)
  return result
}

function report (transcribed: readonly Transcribed[], rounds: readonly Round[]): Report {
  const shares = transcribed.map(({ totalMs, indexingMs }) => indexingMs / totalMs)
  const slower = rounds.map(({ alone, beside }) => median(beside) / median(alone))
  const [share, ratio] = [median(shares), median(slower)]
  return {
    result: `Indexing took ${formatPercent(share)} of a transcription (at most ${formatPercent(MOST_INDEXING)}); a search beside two ` +
      `transcriptions takes ${ratio.toFixed(2)} times as long as alone (at most ${MOST_SLOWER}).`,
    passed: share <= MOST_INDEXING && ratio <= MOST_SLOWER,
    tables: [{
      title: 'Indexing',
      columns: ['transcription', 'indexing', 'share', 'passages', 'passages a second'],
      rows: transcribed.map(({ totalMs, indexingMs, passages }) =>
        [formatMs(totalMs), formatMs(indexingMs), formatPercent(indexingMs / totalMs), passages, Math.round(1000 * passages / indexingMs)])
    }, {
      title: `${SEARCHES} searches over HTTP`,
      columns: ['round', 'alone p50', 'alone p95', 'beside two p50', 'beside two p95', 'p50 longer by'],
      rows: rounds.map(({ alone, beside }, index) => [
        index + 1, formatMs(median(alone)), formatMs(percentile(alone, 0.95)), formatMs(median(beside)), formatMs(percentile(beside, 0.95)),
        (slower[index] ?? 0).toFixed(2)
      ])
    }],
    notes: [
      'Indexing: from the moment when its piece of work may begin until the job is completed, looked at every 5 ms.',
      'The library of the searches has the transcripts made before.'
    ],
    figures: { transcribed, rounds, share, slowest: largest(slower) }
  }
}
