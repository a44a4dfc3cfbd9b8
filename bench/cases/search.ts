/** How search scales: time, disk, memory and recall over libraries of up to a million passages with synthetic vectors and words. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { loadCodeScan } from '../../dist/native/addon.js'
import { createLibrary } from '../../dist/store/library.js'
import type { Library } from '../../dist/store/library.js'
import { createApiKeyStore } from '../../dist/store/api-keys.js'
import { createTransaction, openDatabase } from '../../dist/store/database.js'
import { createJobStore } from '../../dist/store/jobs.js'
import { createMediaStore } from '../../dist/store/media.js'
import { createPassageStore } from '../../dist/store/passages.js'
import { toRecordingName } from '../../dist/domain/recording-name.js'
import type { LibraryFilter } from '../../dist/domain/library-search.js'
import { queryTerms } from '../../dist/domain/search-terms.js'
import { percentile } from '../../dist/evaluate/machine/statistics.js'
import { createRandom, fillNormal } from '../../dist/evaluate/sounds/random.js'
import { formatMs, formatPercent } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const DIMENSIONS = 384
const LANGUAGE = 'en'
const MODEL = { id: 'synthetic', dimensions: DIMENSIONS }
const SIZES = [10_000, 100_000, 1_000_000]
const OWNERS = 20
const PASSAGES_PER_JOB = 50
const WORDS_PER_PASSAGE = 30
/** Jobs that are stored in one transaction. */
const JOBS_AT_ONCE = 200
const VOCABULARY = 60_000
const QUERIES = 100
/** Queries whose best ten are also looked for among all vectors. */
const EXACT_QUERIES = 20
const MAX_P99_MS = 50
const MIN_RECALL = 0.95

type Case = { passages: number, owners: number }
type Query = { terms: string[], vector: Float32Array }
/** `cpuP50Ms`, `cpuP99Ms`: of the time of the processor, which does not depend on what else the machine does. */
type Times = { p50Ms: number, p99Ms: number, cpuP50Ms: number, cpuP99Ms: number }
/** `filtered`: of searches with a filter that allows everything. */
type Outcome = Case & Times & {
  insertsPerSecond: number, diskBytes: number, memoryBytes: number, firstMs: number, filtered: Times, recall: number
}

export const search: Benchmark = {
  name: 'search',
  summary: 'search over 10,000 to 1,000,000 passages, of one owner and of 20: time, disk, memory, recall',
  minutes: 25,
  run
}

/**
 * Vectors in clusters, as those of texts are: a subject, a topic within it, and what each passage adds. Their cosine is about 0.25 within
 * a subject and 0.7 within a topic. The same number gives the same vector.
 */
function createVectors () {
  const gauss = fillNormal(new Float32Array(1 << 20), createRandom(7))
  const noise = (seed: number, dimension: number): number => gauss[((Math.imul(seed, 2654435761) >>> 0) + dimension) % gauss.length] ?? 0
  return (number: number): Float32Array => {
    let squares = 0
    const topic = Math.imul(number + 1, 40503) >>> 0
    const vector = new Float32Array(DIMENSIONS)
    for (let i = 0; i < DIMENSIONS; i++) {
      const value = 0.6 * noise(topic % 400, i) + 0.8 * noise(1000 + topic % 12_000, i) + 0.7 * noise(100_000 + number, i)
      vector[i] = value
      squares += value * value
    }
    const length = Math.sqrt(squares)
    for (let i = 0; i < DIMENSIONS; i++) vector[i] = (vector[i] ?? 0) / length
    return vector
  }
}

/** Words by Zipf's law: the first ones are in nearly every passage, most of them in a few. */
function createWords () {
  const random = createRandom(11)
  const draw = (): string => `w${Math.floor(VOCABULARY ** random()).toString(36)}`
  return (count: number): string => Array.from({ length: count }, draw).join(' ')
}

async function run ({ options, scratch, log }: BenchContext): Promise<Report> {
  const sizes = options.quick ? SIZES.slice(0, 1) : SIZES
  const outcomes: Outcome[] = []
  for (const passages of sizes) {
    for (const owners of [1, OWNERS]) {
      const dataDir = join(scratch, `data-search-${passages}-${owners}`)
      const seconds = fill(dataDir, { passages, owners })
      const outcome = measure(dataDir, { passages, owners }, passages / seconds)
      log(`${passages} passages of ${owners}: p50 ${formatMs(outcome.p50Ms)}, p99 ${formatMs(outcome.p99Ms)}, recall ${outcome.recall}`)
      outcomes.push(outcome)
    }
  }
  return report(outcomes)
}

/** Searches a filled library. */
export function measure (dataDir: string, { passages, owners }: Case, insertsPerSecond: number): Outcome {
  const db = openDatabase(dataDir)
  try {
    const vectorOf = createVectors()
    const before = process.memoryUsage().rss
    const library = createLibrary(db, loadCodeScan())
    const wordsOf = createWords()
    const terms = Array.from({ length: QUERIES }, () => queryTerms(wordsOf(6)))
    // Vectors after the last passage: of the same topics, but of none of the passages.
    const queries = terms.map((words, index) => ({ terms: words, vector: vectorOf(passages + index) }))
    const ask = (query: Query, filter = {}) => time(() => find(library, query, filter))
    const firstMs = queries.slice(0, 1).map((query) => ask(query).ms)[0] ?? 0
    return {
      passages, owners, insertsPerSecond, diskBytes: statSync(join(dataDir, 'app.db')).size,
      ...toTimes(queries.map((query) => ask(query))), firstMs, memoryBytes: process.memoryUsage().rss - before,
      filtered: toTimes(queries.map((query) => ask(query, { language: LANGUAGE }))),
      recall: recallOf(library, { passages, owners }, queries.slice(0, EXACT_QUERIES).map(({ vector }) => vector), vectorOf)
    }
  } finally {
    db.close()
  }
}

function time (work: () => unknown): { ms: number, cpuMs: number } {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  work()
  const { user, system } = process.cpuUsage(cpu)
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 }
}

function toTimes (times: ReadonlyArray<ReturnType<typeof time>>): Times {
  const [wall, cpu] = [times.map(({ ms }) => ms), times.map(({ cpuMs }) => cpuMs)]
  return {
    p50Ms: percentile(wall, 0.5), p99Ms: percentile(wall, 0.99), cpuP50Ms: percentile(cpu, 0.5), cpuP99Ms: percentile(cpu, 0.99)
  }
}

const find = (library: Library, { terms, vector }: Query, filter: LibraryFilter = {}) =>
  library.find({ ownerId: 1, terms, vectors: [{ model: MODEL.id, vector }], filter, wanted: 80 })

function nameOf (text: string): NonNullable<ReturnType<typeof toRecordingName>> {
  const name = toRecordingName(text)
  if (name === undefined) throw new Error(`${text} is no name of a recording`)
  return name
}

/** Stores passages as jobs of owners in turn. Returns how many seconds of the processor that took, without making vectors and words. */
function fill (dataDir: string, { passages, owners }: Case): number {
  const db = openDatabase(dataDir)
  const vectorOf = createVectors()
  const [apiKeys, media, jobs, index] = [createApiKeyStore(db), createMediaStore(db), createJobStore(db), createPassageStore(db)]
  const inTransaction = createTransaction(db)
  const wordsOf = createWords()
  const fileName = nameOf('talk.mp3')
  const ids = Array.from({ length: owners }, (_, index) => apiKeys.ensureOwner(`owner-${index}`, 0))
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -262144')
  const make = (first: number) =>
    Array.from({ length: Math.min(PASSAGES_PER_JOB, passages - first) }, (_, index) => ({
      startMs: 30_000 * index, endMs: 30_000 * (index + 1), text: wordsOf(WORDS_PER_PASSAGE), speakers: [],
      sentences: [{ offset: 0, startMs: 30_000 * index, endMs: 30_000 * (index + 1) }], vector: vectorOf(first + index)
    }))
  function store (first: number, made: ReturnType<typeof make>): void {
    const job = first / PASSAGES_PER_JOB
    const ownerId = ids[job % owners] ?? 1
    const mediaId = media.insert({ ownerId, file: `file-${job}`, sizeBytes: 1, sha256: '0'.repeat(64) }, 0)
    const jobId = jobs.insert({ ownerId, mediaId, fileName, options: { sttQuality: 'fast', language: LANGUAGE }, now: 0 })
    jobs.begin(jobId, 'decode', 0)
    jobs.setDecoded(jobId, 1000, 0)
    index.add({ jobId, ownerId }, made, MODEL)
    index.show(jobId, { model: MODEL, fault: undefined, now: 0 })
    index.mergeTerms()
    jobs.complete(jobId, 0)
  }
  let ms = 0
  for (let from = 0; from < passages; from += JOBS_AT_ONCE * PASSAGES_PER_JOB) {
    const count = Math.ceil(Math.min(JOBS_AT_ONCE * PASSAGES_PER_JOB, passages - from) / PASSAGES_PER_JOB)
    const made = Array.from({ length: count }, (_, job) => make(from + job * PASSAGES_PER_JOB))
    ms += time(() => inTransaction(() => { for (const [job, some] of made.entries()) store(from + job * PASSAGES_PER_JOB, some) })).cpuMs
  }
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  return ms / 1000
}

/** Share of the ten passages with the most similar vectors that a search finds. */
function recallOf (
  library: Library, { passages, owners }: Case, queries: Float32Array[], vectorOf: (number: number) => Float32Array
): number {
  const best = queries.map((): Array<{ number: number, cosine: number }> => [])
  let rank = 0
  const ranks = new Map<number, number>()
  for (let number = 0; number < passages; number++) {
    if (Math.floor(number / PASSAGES_PER_JOB) % owners !== 0) continue
    ranks.set(number, ++rank)
    const vector = vectorOf(number)
    for (const [index, query] of queries.entries()) {
      let cosine = 0
      for (let i = 0; i < DIMENSIONS; i++) cosine += (query[i] ?? 0) * (vector[i] ?? 0)
      const list = best[index] ?? []
      if (list.length < 10 || cosine > (list.at(-1)?.cosine ?? 0)) {
        list.push({ number, cosine })
        list.sort((a, b) => b.cosine - a.cosine).splice(10)
      }
    }
  }
  let found = 0
  for (const [index, query] of queries.entries()) {
    const ids = new Set(find(library, { terms: [], vector: query }).byMeaning.map((id) => id % 2 ** 31))
    for (const { number } of best[index] ?? []) if (ids.has(ranks.get(number) ?? 0)) found++
  }
  return found / (10 * queries.length)
}

function report (outcomes: readonly Outcome[]): Report {
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`
  const worst = outcomes.filter(({ owners }) => owners === 1).at(-1)
  return {
    result: `${worst?.passages} passages of one owner: p99 ${formatMs(worst?.p99Ms ?? 0)} (should be under ${MAX_P99_MS} ms), ` +
      `recall ${formatPercent(worst?.recall ?? 0)} (should be at least ${formatPercent(MIN_RECALL)}).`,
    tables: [{
      title: 'Search',
      columns: [
        'passages', 'owners', 'p50', 'p99', 'CPU p50', 'CPU p99', 'filtered p50', 'p99', 'first', 'recall', 'inserts/s', 'disk', 'memory'
      ],
      rows: outcomes.map((outcome) => [
        String(outcome.passages), String(outcome.owners), formatMs(outcome.p50Ms), formatMs(outcome.p99Ms), formatMs(outcome.cpuP50Ms),
        formatMs(outcome.cpuP99Ms), formatMs(outcome.filtered.p50Ms), formatMs(outcome.filtered.p99Ms), formatMs(outcome.firstMs),
        formatPercent(outcome.recall), String(Math.round(outcome.insertsPerSecond)),
        megabytes(outcome.diskBytes), megabytes(outcome.memoryBytes)
      ])
    }],
    notes: [
      'Recall: of the ten most similar vectors of the owner, by exact comparison. First: the search that reads the codes into memory.',
      'CPU: time of the processor. Filtered: with a filter on the language that leaves out nothing.',
      'Inserts: passages for each second of the processor, 10,000 in a transaction, without syncing the disk.',
      'A search here has six words and a vector; making the vector of a query takes about 10 ms more.'
    ],
    figures: { outcomes },
    passed: outcomes.every(({ p99Ms, recall }) => p99Ms < MAX_P99_MS && recall >= MIN_RECALL)
  }
}
