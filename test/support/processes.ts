/** The child processes of this process. */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A killed program is gone within moments; on a busy machine within seconds. */
const PATIENCE_MS = 30_000

/** Command lines of live children. */
export function listChildren (): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')
      return Number(parent) === process.pid && state !== 'Z' ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : []
    } catch {
      return [] // it has just ended
    }
  })
}

/** Waits until no child is alive, at most half a minute. Returns the command lines of those left, for an assertion. */
export async function childrenLeft (): Promise<string[]> {
  for (const startedMs = performance.now(); listChildren().length > 0 && performance.now() - startedMs < PATIENCE_MS;) await sleep(10)
  return listChildren()
}
