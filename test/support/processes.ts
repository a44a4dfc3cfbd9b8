/** The child processes of this process. */
import { readFileSync, readdirSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

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

/** Resolves when no child is alive. The caller's test has the timeout. */
export async function childrenGone (): Promise<void> {
  while (listChildren().length > 0) await nextTurn()
}
