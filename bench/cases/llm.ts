/** The engine `llm` with a real small model: load, grammar, an hour in pieces, speed, memory, time limit and fallback. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ArtifactError } from '../../dist/domain/artifact-error.js'
import { toArtifactSource } from '../../dist/domain/artifact-source.js'
import type { ArtifactMode, ArtifactSource } from '../../dist/domain/artifact.js'
import { createExtractiveEngine, createExtractivePool } from '../../dist/engine/text/extractive.js'
import { createLlmEngine } from '../../dist/engine/text/llm/engine.js'
import type { AnswerOutput } from '../../dist/engine/text/llm/protocol.js'
import { createResidentModel } from '../../dist/engine/text/llm/resident-model.js'
import type { ResidentModel } from '../../dist/engine/text/llm/resident-model.js'
import { readMemory } from '../../dist/evaluate/machine/load.js'
import { formatBytes } from '../../dist/evaluate/report.js'
import { finishArtifact } from '../../dist/formats/artifact.js'
import { FIXTURES } from '../lib/paths.ts'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { findSmallLanguageModel } from '../lib/small-language-model.ts'

const TALK_MINUTES = 5
const LONG_MINUTES = 60
const LIMIT_MS = 15_000
/** What the background gives an artifact. */
const PREPARE_MS = 10 * 60_000
const THREADS = 1

export const llm: Benchmark = {
  name: 'llm',
  summary: 'artifacts by a real small language model, which the first run fetches (227 MiB, Gemma terms)',
  minutes: 20,
  run
}

type Truth = { sentences: Array<{ start: number, end: number, text: string }> }

/** The five-minute talk, repeated to this length. */
function makeSource (minutes: number): ArtifactSource {
  const { sentences } = JSON.parse(readFileSync(join(FIXTURES, 'talk.json'), 'utf8')) as Truth
  const rounds = Array.from({ length: Math.max(1, Math.round(minutes / TALK_MINUTES)) }, (_, round) => round * TALK_MINUTES * 60_000)
  const segments = rounds.flatMap((offsetMs) => sentences.map(({ start, end, text }) => {
    const [startMs, endMs] = [offsetMs + Math.round(1000 * start), offsetMs + Math.round(1000 * end)]
    const words = text.split(' ')
    const at = (index: number): number => startMs + Math.round((endMs - startMs) * index / words.length)
    return {
      startMs, endMs, text: ` ${text}`,
      words: words.map((word, index) => ({ text: ` ${word}`, startMs: at(index), endMs: at(index + 1), probability: 1 }))
    }
  }))
  return toArtifactSource({ fileName: 'talk.mp3', language: 'en', durationMs: rounds.length * TALK_MINUTES * 60_000, segments })
}

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

async function make (resident: ResidentModel, mode: ArtifactMode, minutes: number, limitMs: number): Promise<Made> {
  const { model, answers } = watch(resident)
  const source = makeSource(minutes)
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

/** Memory of the model's program, which is the only child of this process. */
function readProgramMemory () {
  const [pid] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').map(Number)
  return pid ? readMemory(pid) : { residentBytes: 0, peakBytes: 0 }
}

async function run ({ options, log }: BenchContext): Promise<Report> {
  const path = await findSmallLanguageModel(log)
  const [longMinutes, limitMs] = options.quick ? [2 * TALK_MINUTES, 3000] : [LONG_MINUTES, LIMIT_MS]
  const model = createResidentModel({ find: () => ({ path }), gpu: 'off', threads: THREADS, nice: 0 })
  const delay = monitorEventLoopDelay({ resolution: 5 })
  try {
    log('loading')
    const loadStartedMs = performance.now()
    await model.use(async ({ countTokens }) => await countTokens(['one']), AbortSignal.timeout(PREPARE_MS))
    const loadSeconds = (performance.now() - loadStartedMs) / 1000
    delay.enable()
    const made: Made[] = []
    for (const [mode, minutes] of [['quotes', TALK_MINUTES], ['chapters', TALK_MINUTES], ['quotes', longMinutes]] as const) {
      log(`${mode} of ${minutes} minutes`)
      made.push(await make(model, mode, minutes, PREPARE_MS))
    }
    log('time limit')
    const limited = await make(model, 'blog', longMinutes, limitMs)
    const readyStartedMs = performance.now()
    await model.use(async ({ countTokens }) => await countTokens(['one']), AbortSignal.timeout(PREPARE_MS))
    const readyMs = performance.now() - readyStartedMs
    delay.disable()
    const memory = readProgramMemory()
    const fallbackMs = await measureFallback(makeSource(longMinutes))
    const delayMs = { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
    return describe({ loadSeconds, made, limited, limitMs, readyMs, fallbackMs, delayMs, ...memory })
  } finally {
    await model.free()
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
  fallbackMs: number
  delayMs: { p99: number, max: number }
  residentBytes: number
  peakBytes: number
}

function describe (figures: Figures): Report {
  const { loadSeconds, made, limited, limitMs, readyMs, fallbackMs, delayMs, residentBytes, peakBytes } = figures
  const overMs = limited.seconds * 1000 - limitMs
  const isMade = made.every(({ result }) => /^\d+ (?:chapters|quotes)$/.test(result))
  return {
    result: `The limit of ${limitMs / 1000} s was kept within ${Math.round(overMs)} ms; ` +
      `the next call was ready ${Math.round(readyMs)} ms later.`,
    passed: isMade && limited.result.startsWith('aborted') && overMs < 1000,
    tables: [
      {
        title: `Artifacts, ${THREADS} thread`,
        columns: ['artifact', 'minutes of talk', 'pieces', 'seconds', 'reads tokens/s', 'writes tokens/s', 'result'],
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
