/** What services need of a logger: fields first, a constant message second. pino fits. */
export type Log = {
  info (fields: object, message: string): void
  warn (fields: object, message: string): void
  error (fields: object, message: string): void
}
