/** The benchmarks: `npm run bench -- [NAME…] [options]`. Without a name it lists them and runs the short ones. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accuracy } from './cases/accuracy.ts'
import { crash } from './cases/crash.ts'
import { interfaceBench } from './cases/interface.ts'
import { latency } from './cases/latency.ts'
import { library } from './cases/library.ts'
import { llm } from './cases/llm.ts'
import { measureOthers, warnOfOthers } from '../dist/evaluate/machine/load.js'
import { memory } from './cases/memory.ts'
import { BENCH_MODELS } from './lib/models.ts'
import { createScratch } from '../dist/evaluate/machine/paths.js'
import { neighbours } from './cases/neighbours.ts'
import { page } from './cases/page.ts'
import { polling } from './cases/polling.ts'
import { describeMachine } from '../dist/evaluate/report.js'
import { printReport } from './lib/report.ts'
import type { BenchOptions, Benchmark, Report } from './lib/report.ts'
import { restart } from './cases/restart.ts'
import { retrieval } from './cases/retrieval.ts'
import { search } from './cases/search.ts'
import { silence } from './cases/silence.ts'
import { sources } from './cases/sources.ts'
import { speakers } from './cases/speakers.ts'
import { speed } from './cases/speed.ts'
import { throughput } from './cases/throughput.ts'
import { webhookCrash } from './cases/webhook-crash.ts'
import { webhooks } from './cases/webhooks.ts'
import { ATTACKS } from './neighbours/attacks.ts'

const BENCHMARKS: readonly Benchmark[] = [
  accuracy, speed, throughput, silence, latency, memory, restart, crash, polling, sources, interfaceBench, webhooks, webhookCrash,
  neighbours, retrieval, search, library, speakers, llm, page
]
/** What may run without being named. */
const SHORT_MINUTES = 5
const MAX_MINUTES = 24 * 60

export type RunOptions = BenchOptions & {
  /** File that gets all figures. */
  json?: string
}
type Outcome = Partial<Report> & { name: string, seconds: number, othersShare?: number, error?: string }

/** Runs the benchmarks of these names, or lists all and runs the short ones. Exit code: 0 when all figures are as they should be. */
export async function runBench (names: readonly string[], options: RunOptions): Promise<number> {
  const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
  if (unknown.length > 0) {
    console.error(`There is no benchmark called ${unknown.join(', ')}.`)
    printList()
    return 2
  }
  if (names.length === 0) printList()
  const chosen = BENCHMARKS.filter(({ name, minutes }) => names.length === 0 ? minutes <= SHORT_MINUTES : names.includes(name))
  const machine = describeMachine()
  const outcomes: Outcome[] = []
  for (const benchmark of chosen) outcomes.push(await runOne(benchmark, options))
  if (options.json) {
    const benchmarks = outcomes.map(({ tables, notes, ...rest }) => rest)
    const { json, ...given } = options
    writeFileSync(json, JSON.stringify({ machine, options: given, benchmarks }, null, 2) + '\n')
  }
  return outcomes.every(({ error, passed }) => error === undefined && passed !== false) ? 0 : 1
}

async function runOne (benchmark: Benchmark, options: BenchOptions): Promise<Outcome> {
  const { name } = benchmark
  const scratch = createScratch()
  const startedMs = performance.now()
  const elapsed = (): number => Math.round((performance.now() - startedMs) / 100) / 10
  try {
    const log = (line: string): void => { console.error(`[${name}] ${line}`) }
    const { result: report, othersShare } = await measureOthers([], () => benchmark.run({ options, scratch: scratch.path, log }))
    printReport(name, { ...report, notes: [...report.notes, ...warnOfOthers(othersShare)] })
    return { name, seconds: elapsed(), othersShare, ...report }
  } catch (error) {
    console.error(`[${name}]`, error)
    return { name, seconds: elapsed(), error: String(error) }
  } finally {
    scratch.remove()
  }
}

function printList (): void {
  const width = Math.max(...BENCHMARKS.map(({ name }) => name.length))
  console.log('Benchmarks (about how long they take on two cores; --quick for less):')
  for (const { name, summary, minutes } of BENCHMARKS) {
    console.log(`  ${name.padEnd(width)}  ${String(minutes).padStart(2)} min  ${summary}`)
  }
}

/** Throws when an option has a value that it cannot have. */
export function parseCommandLine (args: readonly string[]): { names: string[], options: RunOptions } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      repeat: { type: 'string', default: '3' },
      quick: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      language: { type: 'string', default: 'detected' },
      model: { type: 'string', multiple: true, default: [] },
      attack: { type: 'string', multiple: true, default: [] }
    }
  })
  const { quick, language, json } = values
  const repeat = Number(values.repeat)
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error('--repeat takes a number of 1 or more')
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
  if (minutes !== undefined && !(minutes > 0 && minutes <= MAX_MINUTES)) {
    throw new Error(`--minutes takes a number above 0, at most ${MAX_MINUTES}`)
  }
  if (language !== 'given' && language !== 'detected') throw new Error('--language takes given or detected')
  const strange = values.model.find((name) => !BENCH_MODELS.some((model) => model.name === name))
  if (strange !== undefined) throw new Error(`--model takes ${BENCH_MODELS.map(({ name }) => name).join(', ')}, not ${strange}`)
  const strangeAttack = values.attack.find((name) => !ATTACKS.some((attack) => attack.name === name))
  if (strangeAttack !== undefined) throw new Error(`--attack takes ${ATTACKS.map(({ name }) => `"${name}"`).join(', ')}`)
  return {
    names: positionals,
    options: {
      repeat, quick, language, models: values.model, attacks: values.attack,
      ...(minutes !== undefined && { minutes }), ...(json !== undefined && { json })
    }
  }
}

// import.meta.main came with Node 24.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { names, options } = parseCommandLine(process.argv.slice(2))
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  process.exitCode = await runBench(names, options)
}
