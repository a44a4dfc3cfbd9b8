/** The log: JSON lines on stderr, so that stdout stays free for what a command is asked for. */
import { pino } from 'pino'
import type { Logger } from 'pino'

export type { Logger }

/** Never in a log line, at its top or one level down; the headers of a request are two. */
const SECRET_FIELDS = ['authorization', 'key', 'token', 'secret', 'signature', 'transcriptText', 'text', 'words', 'url']
const REDACTED = [...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), '*.*.authorization']

export function createLogger (level: string, destination: NodeJS.WritableStream = process.stderr): Logger {
  return pino({ level, base: null, redact: { paths: REDACTED, censor: '[left out]' } }, destination)
}
