/** The log: JSON lines on stderr, so that stdout stays free for what a command is asked for. */
import { pino } from 'pino'
import type { Logger } from 'pino'

export type { Logger }

/** Never in a log line, wherever a caller may put it. */
const REDACTED = ['authorization', 'key', 'token', 'secret', 'signature', 'transcriptText', 'text', 'words', 'url', '*.authorization', '*.key', '*.token', '*.secret', '*.signature', '*.transcriptText', '*.text', '*.words']

export function createLogger (level: string, destination: NodeJS.WritableStream = process.stderr): Logger {
  return pino({ level, base: null, redact: { paths: REDACTED, censor: '[left out]' } }, destination)
}
