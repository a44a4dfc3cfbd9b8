/** The logger that services use: fields first, then a constant message. pino fits. */
export type Log = {
  info (fields: object, message: string): void
  warn (fields: object, message: string): void
  error (fields: object, message: string): void
}
