/** The engine `llm` with a real small model: load, grammar, an hour in pieces, speed, memory, time limit and fallback. */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ArtifactError } from '../../dist/domain/artifact-error.js'
import { ARTIFACT_MODES, STORED_MODES } from '../../dist/domain/artifact.js'
import type { ArtifactMode, ArtifactSource } from '../../dist/domain/artifact.js'
import { createExtractiveEngine, createExtractivePool } from '../../dist/engine/text/extractive.js'
import { createLlmEngine } from '../../dist/engine/text/llm/engine.js'
import type { AnswerOutput } from '../../dist/engine/text/llm/protocol.js'
import { createResidentModel } from '../../dist/engine/text/llm/resident-model.js'
import type { ResidentModel } from '../../dist/engine/text/llm/resident-model.js'
import { readMemory } from '../../dist/evaluate/machine/load.js'
import { formatBytes } from '../../dist/evaluate/report.js'
import { finishArtifact } from '../../dist/formats/artifact.js'
import { readLibrary, readSpoken } from '../../test/support/artifact-sources.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { findSmallLanguageModel } from '../lib/small-language-model.ts'

const LIMIT_MS = 15_000
/** What the background gives an artifact. */
const PREPARE_MS = 10 * 60_000
const THREADS = 1
const KILL_AFTER_MS = 2000

export const llm: Benchmark = {
  name: 'llm',
  summary: 'artifacts by a real small language model, which the first run fetches (227 MiB, Gemma terms)',
  minutes: 20,
  run
}

/** Words of an hour of speech. */
const HOUR_WORDS = 9000

/** Notes the speed of all answers. */
function watch (model: ResidentModel): { model: Pick<ResidentModel, 'use'>, answers: AnswerOutput[] } {
  const answers: AnswerOutput[] = []
  const use: ResidentModel['use'] = async (work, signal) => await model.use(async (loaded) => await work({
    ...loaded,
    answer: async (input) => {
      const output = await loaded.answer(input)
      answers.push(output)
      return output
    }
  }), signal)
  return { model: { use }, answers }
}

type Made = { mode: string, minutes: number, seconds: number, pieces: number, result: string, reads: number, writes: number }

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
const perSecond = (tokens: readonly number[], ms: readonly number[]): number => Math.round(1000 * sum(tokens) / Math.max(1, sum(ms)))

async function make (resident: ResidentModel, mode: ArtifactMode, source: ArtifactSource, limitMs: number): Promise<Made> {
  const { model, answers } = watch(resident)
  const minutes = Math.round(source.durationMs / 60_000)
  const startedMs = performance.now()
  const say = async (): Promise<string> => {
    try {
      const draft = await createLlmEngine({ model }).create(mode, source, AbortSignal.timeout(limitMs))
      const { chapters, quotes, content } = finishArtifact(mode, draft, source)
      return chapters ? `${chapters.length} chapters` : quotes ? `${quotes.length} quotes` : `${content.length} characters`
    } catch (error) {
      if (error instanceof ArtifactError) return `${error.code}: ${error.message}`
      throw error
    }
  }
  const result = await say()
  return {
    mode, minutes, result, pieces: answers.length,
    seconds: (performance.now() - startedMs) / 1000,
    reads: perSecond(answers.map(({ promptTokens }) => promptTokens), answers.map(({ promptMs }) => promptMs)),
    writes: perSecond(answers.map(({ answerTokens }) => answerTokens), answers.map(({ answerMs }) => answerMs))
  }
}

/** The process of the model's program, which is the only child of this process. */
const findProgram = (): number | undefined =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number)[0]

/** Memory of the model's program. */
function readProgramMemory () {
  const pid = findProgram()
  return pid ? readMemory(pid) : { residentBytes: 0, peakBytes: 0 }
}

/** Ends the program in the middle of an answer, as the system does when memory runs out. Returns what the engine answers. */
async function kill (resident: ResidentModel, source: ArtifactSource): Promise<{ result: string, ms: number }> {
  await resident.use(async ({ countTokens }) => await countTokens(['one']), AbortSignal.timeout(PREPARE_MS))
  let killedMs = 0
  const timer = setTimeout(() => {
    const pid = findProgram()
    killedMs = performance.now()
    if (pid) process.kill(pid, 'SIGKILL')
  }, KILL_AFTER_MS)
  const { result } = await make(resident, 'blog', source, PREPARE_MS)
  clearTimeout(timer)
  return { result, ms: performance.now() - killedMs }
}

async function run ({ options, log }: BenchContext): Promise<Report> {
  const path = await findSmallLanguageModel(log)
  const [long, limitMs] = [readLibrary(HOUR_WORDS), options.quick ? 3000 : LIMIT_MS]
  const resident = createResidentModel({ find: () => ({ path }), gpu: 'off', threads: THREADS, nice: 0 })
  const delay = monitorEventLoopDelay({ resolution: 5 })
  // The program of the model does not keep this process alive.
  const alive = setInterval(() => {}, 1000)
  try {
    log('loading')
    const loadStartedMs = performance.now()
    await resident.use(async ({ countTokens }) => await countTokens(['one']), AbortSignal.timeout(PREPARE_MS))
    const loadSeconds = (performance.now() - loadStartedMs) / 1000
    delay.enable()
    const made: Made[] = []
    const talk = readSpoken('talk')
    const wanted: ReadonlyArray<[ArtifactMode, ArtifactSource]> = options.quick
      ? [['quotes', talk], ['quotes', long]]
      : [...STORED_MODES.map((mode): [ArtifactMode, ArtifactSource] => [mode, talk]),
          ...ARTIFACT_MODES.map((mode): [ArtifactMode, ArtifactSource] => [mode, long])]
    for (const [mode, source] of wanted) {
      log(`${mode} of ${Math.round(source.durationMs / 60_000)} minutes`)
      const one = await make(resident, mode, source, PREPARE_MS)
      log(`${one.result}, ${one.pieces} answers, ${one.seconds.toFixed(1)} s, ${one.reads} and ${one.writes} tokens/s`)
      made.push(one)
    }
    const memory = readProgramMemory()
    log('time limit')
    const limited = await make(resident, 'blog', long, limitMs)
    const readyStartedMs = performance.now()
    await resident.use(async ({ countTokens }) => await countTokens(['one']), AbortSignal.timeout(PREPARE_MS))
    const readyMs = performance.now() - readyStartedMs
    delay.disable()
    log('killed')
    const killed = await kill(resident, long)
    const fallbackMs = await measureFallback(long)
    const delayMs = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
    return describe({ loadSeconds, made, limited, limitMs, readyMs, killed, fallbackMs, delayMs, ...memory })
  } finally {
    clearInterval(alive)
    await resident.free()
  }
}

async function measureFallback (source: ArtifactSource): Promise<number> {
  const pool = createExtractivePool()
  try {
    const startedMs = performance.now()
    const draft = await createExtractiveEngine(pool).create('blog', source, AbortSignal.timeout(PREPARE_MS))
    finishArtifact('blog', draft, source)
    return performance.now() - startedMs
  } finally {
    await pool.close()
  }
}

type Figures = {
  loadSeconds: number
  made: Made[]
  limited: Made
  limitMs: number
  readyMs: number
  killed: { result: string, ms: number }
  fallbackMs: number
  delayMs: { p99: number, max: number }
  residentBytes: number
  peakBytes: number
}

function describe (figures: Figures): Report {
  const { loadSeconds, made, limited, limitMs, readyMs, killed, fallbackMs, delayMs, residentBytes, peakBytes } = figures
  const overMs = limited.seconds * 1000 - limitMs
  // A model as small as this one writes prose that is about something else; that is refused, as it should be.
  const isMade = made.every(({ mode, result }) =>
    (mode === 'chapters' || mode === 'quotes' ? /^\d+ (?:chapters|quotes)$/ : /^\d+ characters$|^unusable/).test(result))
  return {
    result: `The limit of ${limitMs / 1000} s was kept within ${Math.round(overMs)} ms; ` +
      `the next call was ready ${Math.round(readyMs)} ms later.`,
    passed: isMade && limited.result.startsWith('aborted') && overMs < 1000 && killed.result.startsWith('failed'),
    tables: [
      {
        title: `Artifacts, ${THREADS} thread`,
        columns: ['artifact', 'minutes of speech', 'pieces', 'seconds', 'reads tokens/s', 'writes tokens/s', 'result'],
        rows: [...made, limited].map((one) =>
          [one.mode, one.minutes, one.pieces, one.seconds.toFixed(1), one.reads, one.writes, one.result])
      },
      {
        title: 'Around them',
        columns: ['what', 'figure'],
        rows: [
          ['load, with the start of the program', `${loadSeconds.toFixed(1)} s`],
          ['memory of the program, and its peak', `${formatBytes(residentBytes)}, ${formatBytes(peakBytes)}`],
          ['delay of the event loop beside it, p99 and most', `${delayMs.p99.toFixed(1)} ms, ${delayMs.max.toFixed(1)} ms`],
          ['the program killed in the middle of an answer', `${killed.result}, after ${Math.round(killed.ms)} ms`],
          ['extractive answer instead of the blog post', `${Math.round(fallbackMs)} ms`]
        ]
      }
    ],
    notes: [
      'Gemma 3 270M base, Q4_K_M: a model without a chat template, which continues plain text. It chooses as a very small model does.',
      'An aborted answer that does not stop within 0.8 s ends the program; the next call then loads the model again.',
      'The program runs at normal priority here, and at the lowest in the server.'
    ],
    figures
  }
}
