/** The child processes of this process. */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A killed program is gone within moments; on a busy machine within seconds. */
const PATIENCE_MS = 30_000

type Child = { pid: number, command: string }

/** Live children of a process. */
function childrenOf (parentPid: number): Child[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')
      if (Number(parent) !== parentPid || state === 'Z') return []
      return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }]
    } catch {
      return [] // it has just ended
    }
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
