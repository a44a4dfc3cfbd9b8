/** Length limits of texts from callers, in characters (code points), as JSON Schema counts them. */
import { AppError } from './errors.js'

/** Throws `invalid_request` naming `field`, with the same message as the schema check of HTTP bodies. */
export function requireLength (text: string, { min, max }: { min: number, max: number }, field: string): void {
  const length = [...text].length
  if (length < min) throw new AppError('invalid_request', `${field}: must NOT have fewer than ${min} characters`)
  if (length > max) throw new AppError('invalid_request', `${field}: must NOT have more than ${max} characters`)
}
