/** The child processes of this process. */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A killed program is gone within moments; on a busy machine within seconds. */
const PATIENCE_MS = 30_000

type Child = { pid: number, command: string }

/** What /proc says of a process; undefined when it has ended. */
function readProcess (pid: number): { parent: number, command: string } | undefined {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')
    // A zombie has ended too.
    if (state === 'Z') return undefined
    return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }
  } catch {
    return undefined // it has just ended
  }
}

export const isAlive = (pid: number): boolean => readProcess(pid) !== undefined

/** The command line of a process; empty when it has ended. */
export const commandOf = (pid: number): string => readProcess(pid)?.command ?? ''

/** Live children of a process. */
function childrenOf (parentPid: number): Child[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const pid = Number(name)
    const found = readProcess(pid)
    return found?.parent === parentPid ? [{ pid, command: found.command }] : []
  })
}

/** Command lines of our live children. */
export const listChildren = (): string[] => childrenOf(process.pid).map(({ command }) => command)

/** The process that a server runs inference in; undefined while it has none. */
export const findInferenceProcess = (serverPid: number): number | undefined =>
  childrenOf(serverPid).find(({ command }) => command.includes('helper-program.js'))?.pid

/** Waits until no child is alive, at most half a minute. Returns the command lines of those left, for an assertion. */
export async function childrenLeft (): Promise<string[]> {
  for (const startedMs = performance.now(); listChildren().length > 0 && performance.now() - startedMs < PATIENCE_MS;) await sleep(10)
  return listChildren()
}
