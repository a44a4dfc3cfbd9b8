/** Where a refusal belongs in a form. */
import { ApiError } from './client.ts'

export type Faults<F extends string> = {
  /** The sentence for a field; undefined: nothing is wrong with it. */
  at (field: F): string | undefined
  /** What belongs to none of the fields; undefined: there is nothing. */
  readonly rest: unknown
}

/** The appliance's sentences about a field begin with its path, as in `url: must match format "uri"`. */
const FIELD_SENTENCE = /^([A-Za-z]\w*)(?:\.[\w.]+)?: (.+)$/s

/**
 * Assigns faults of a refusal to the fields of a form. `codes`: the field that a refusal with this code is about, where its sentence names
 * none.
 */
export function faultsOf<F extends string> (
  error: unknown, fields: readonly F[], codes: Readonly<Partial<Record<string, F>>> = {}
): Faults<F> {
  if (error === null || error === undefined) return { at: () => undefined, rest: undefined }
  const sentence = error instanceof Error ? error.message : String(error)
  const [, name, rule] = FIELD_SENTENCE.exec(sentence) ?? []
  const named = fields.find((field) => field === name)
  const field = named ?? (error instanceof ApiError ? codes[error.code] : undefined)
  const text = named === undefined ? sentence : rule ?? sentence
  return { at: (one) => one === field ? text : undefined, rest: field === undefined ? error : undefined }
}
