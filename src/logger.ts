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

export function createLogger (level: string, destination: NodeJS.WritableStream = process.stderr): Logger {
  return pino({ level, base: null, redact: { paths: REDACTED, censor: '[left out]' } }, destination)
}
