/** Which process Linux ends first when memory runs out. */
import { writeFileSync } from 'node:fs'

/**
 * Raises the OOM score of this process: when memory runs out, Linux ends the process with the highest score, and that must not be the
 * server. `points`: 0 to 1000.
 */
export function raiseOomScore (points: number): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', String(points))
  } catch {
    // Not every container allows it, and other systems have no such file. The process works without it.
  }
}
