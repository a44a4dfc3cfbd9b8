/** The log: JSON lines on stderr, so that stdout holds only the output of commands. */
import { pino } from 'pino'
import type { Logger } from 'pino'

export type { Logger }

/**
 * Fields that are removed from log lines, at the top level and one level down; `authorization` two levels down too, where the headers of a
 * request are.
 */
const SECRET_FIELDS = ['authorization', 'key', 'token', 'secret', 'signature', 'transcriptText', 'text', 'words', 'url']
const REDACTED = [...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), '*.*.authorization']

/** Lines with the same message within a minute. A caller whose requests fail would otherwise fill the disk with them: a line has 1 kB. */
const MAX_LINES = 100
const MINUTE_MS = 60_000
/** Messages that are remembered. Ours are constant; those of packages may not be. */
const MAX_MESSAGES = 1000

/** Counts lines by message. Returns how many were left out before this one; undefined when this one is to be left out. */
function createLineLimit (now: () => number): (message: string) => number | undefined {
  const counts = new Map<string, { sinceMs: number, lines: number }>()
  return (message) => {
    const count = counts.get(message)
    // Before `sinceMs`: the clock was set back.
    if (count && now() >= count.sinceMs && now() - count.sinceMs < MINUTE_MS) {
      count.lines++
      return count.lines > MAX_LINES ? undefined : 0
    }
    if (counts.size >= MAX_MESSAGES) counts.clear()
    counts.set(message, { sinceMs: now(), lines: 1 })
    return Math.max(0, (count?.lines ?? 0) - MAX_LINES)
  }
}

/** Beyond 100 lines a minute with the same message, lines are counted instead; the next one that is written has the number as `leftOut`. */
export function createLogger (level: string, destination: NodeJS.WritableStream = process.stderr, now: () => number = Date.now): Logger {
  const countLine = createLineLimit(now)
  return pino({
    level,
    base: null,
    redact: { paths: REDACTED, censor: '[left out]' },
    hooks: {
      logMethod ([fields, message, ...rest], write) {
        const leftOut = typeof message === 'string' ? countLine(message) : 0
        if (leftOut === undefined) return
        const counted = leftOut > 0 && typeof fields === 'object' ? { ...fields as object, leftOut } : fields
        write.apply(this, [counted, message, ...rest] as Parameters<typeof write>)
      }
    }
  }, destination)
}
