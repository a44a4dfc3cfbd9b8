/**
 * Parses text from strangers in a program of its own, with limits on time and memory: some megabytes of XML or JSON can keep a parser busy
 * for half a minute and take gigabytes, and the thread that answers HTTP must not wait for that.
 */
import { fileURLToPath } from 'node:url'
import { JobFailure } from '../../domain/errors.js'
import type { FailureCode } from '../../domain/errors.js'
import { runToEnd } from '../process.js'
import type { Episode } from './feed-parser.js'
import type { PageInfo } from './page-info.js'

/** What follows in the input of `parse-program.ts`. */
export type Task = { kind: 'feed', url: string } | { kind: 'page' }
/** What `parse-program.ts` prints. */
export type Answer = { value: unknown } | { failure: { code: FailureCode, message: string } }

const PROGRAM = fileURLToPath(new URL('parse-program.js', import.meta.url))
/** Measured: a feed of 7.5 MiB with 9,000 episodes takes 1.2 s of processor time and 120 MiB, on one machine. */
const TIMEOUT_MS = 60_000
const MAX_CPU_SECONDS = 10
const MAX_HEAP_MIB = 256
const MAX_ANSWER_BYTES = 64 * 1024

async function parseApart (task: Task, text: string, signal: AbortSignal): Promise<unknown> {
  const outcome = await runToEnd(process.execPath, [`--max-old-space-size=${MAX_HEAP_MIB}`, '--no-warnings', PROGRAM], {
    timeoutMs: TIMEOUT_MS,
    maxCpuSeconds: MAX_CPU_SECONDS,
    maxBytes: MAX_ANSWER_BYTES,
    signal,
    input: `${JSON.stringify(task)}\n${text}`
  })
  signal.throwIfAborted()
  if (outcome.code !== 0 || outcome.stopped !== undefined) {
    throw new JobFailure('source_unsupported', `the ${task.kind} takes too much time or memory to read`)
  }
  const answer = JSON.parse(outcome.stdout) as Answer
  if ('failure' in answer) throw new JobFailure(answer.failure.code, answer.failure.message)
  return answer.value
}

/**
 * The newest episode with sound; the first one if none has a date. Throws `JobFailure`: source_unsupported (also when the feed takes too
 * much time or memory), and the reason of `signal`.
 */
export async function findNewestEpisode (text: string, feedUrl: string, signal: AbortSignal): Promise<Episode> {
  return await parseApart({ kind: 'feed', url: feedUrl }, text, signal) as Episode
}

/**
 * Reads yt-dlp's description of a page. Throws `JobFailure`: source_unsupported (also for lists and live streams, and when the description
 * takes too much time or memory), and the reason of `signal`.
 */
export async function readPageInfo (text: string, signal: AbortSignal): Promise<PageInfo> {
  return await parseApart({ kind: 'page' }, text, signal) as PageInfo
}
