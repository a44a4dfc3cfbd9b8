/** Which processes this one has started and not yet lost. */
import { readFileSync, readdirSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Command lines of the children of this process that are alive. */
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

/** Comes back when no child is alive. The caller's test has a timeout; this has none of its own. */
export async function childrenGone (): Promise<void> {
  while (listChildren().length > 0) await nextTurn()
}
