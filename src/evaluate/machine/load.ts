/** Measures processor time and memory, also those of other programs: figures taken while they run cannot be trusted. */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const QUIET_SHARE = 0.05
const TICKS_PER_SECOND = 100
const WATCH_MS = 20

export type Measured = {
  seconds: number
  /** Of this process and the given ones, each with all its threads and its ended children. */
  processorSeconds: number
  /** Share of all processor time that other processes used. */
  othersShare: number
}

/** Runs `work`, and measures its time and the use of the processors. */
export async function measureOthers<T> (pids: readonly number[], work: () => Promise<T>): Promise<Measured & { result: T }> {
  const startedMs = performance.now()
  const busy = readBusyTicks()
  const own = readOwnTicks(pids)
  const result = await work()
  const ownTicks = readOwnTicks(pids) - own
  const othersTicks = (readBusyTicks() - busy) - ownTicks
  const seconds = (performance.now() - startedMs) / 1000
  const allTicks = TICKS_PER_SECOND * availableParallelism() * seconds
  return { result, seconds, processorSeconds: ownTicks / TICKS_PER_SECOND, othersShare: Math.min(1, Math.max(0, othersTicks / allTicks)) }
}

/** A sentence for the report if other programs were busy. */
export function warnOfOthers (share: number): string[] {
  if (share <= QUIET_SHARE) return []
  return [
    `NOT A FIGURE TO QUOTE: other programs used ${(100 * share).toFixed(0)} % of the processors meanwhile. ` +
    'Programs of several threads, as whisper-cli is, lose far more by that than their share.'
  ]
}

function readBusyTicks (): number {
  const times = (/^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '').split(' ').map(Number)
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = times
  return user + nice + system + interrupts + softInterrupts + stolen
}

function readOwnTicks (pids: readonly number[]): number {
  return ['self', ...pids].map(readTicks).reduce((sum, ticks) => sum + ticks, 0)
}

/** Processor time of a process: of all its threads and its ended children. */
export function readProcessorSeconds (pid: number): number {
  return readTicks(pid) / TICKS_PER_SECOND
}

/** 0 for a process that has ended: from then on, its time counts for its parent's children. */
function readTicks (pid: number | string): number {
  const stat = readProc(pid, 'stat')
  if (stat === undefined) return 0
  // After the name, which may hold spaces: fields 14 to 17 are user and system time of the process and of its ended children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number)
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0)
}

/** Resident memory of a process now and at its peak, in bytes; NaN when it has ended. */
export function readMemory (pid: number): { residentBytes: number, peakBytes: number } {
  const status = readProc(pid, 'status') ?? ''
  const bytesOf = (field: string): number => 1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN)
  return { residentBytes: bytesOf('VmRSS'), peakBytes: bytesOf('VmHWM') }
}

/**
 * Resets the peak of a process to its present memory (proc_pid_clear_refs(5): 5 resets VmHWM). Where the kernel does not allow that, the
 * peak stays that of its whole life.
 */
export function resetPeak (pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch (error) {
    if (!isGone(error) && !['EACCES', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Watches the memory of a running program. The result stops watching and returns the peak; NaN if the memory could not be read. */
export function watchPeak (pid: number | undefined): () => number {
  let peakBytes = NaN
  const look = (): void => {
    const seen = pid === undefined ? NaN : readMemory(pid).peakBytes
    if (!Number.isNaN(seen)) peakBytes = seen
  }
  const timer = setInterval(look, WATCH_MS)
  look()
  return () => {
    clearInterval(timer)
    return peakBytes
  }
}

/** Undefined when the process has ended. */
function readProc (pid: number | string, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

function isGone (error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
}
