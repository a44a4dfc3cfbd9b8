/** The part of JSON Schema that answers are described in. All properties are required. */
export type AnswerSchema =
  | { readonly type: 'string', readonly minLength: number, readonly maxLength: number }
  | { readonly type: 'array', readonly items: AnswerSchema, readonly minItems: number, readonly maxItems: number }
  | { readonly type: 'object', readonly properties: Readonly<Record<string, AnswerSchema>> }
  | { readonly enum: readonly number[] }

/** A string of `min` to `max` characters. */
export const string = (min: number, max: number): AnswerSchema => ({ type: 'string', minLength: min, maxLength: max })
export const list = (items: AnswerSchema, min: number, max: number): AnswerSchema =>
  ({ type: 'array', items, minItems: min, maxItems: max })
export const object = (properties: Readonly<Record<string, AnswerSchema>>): AnswerSchema => ({ type: 'object', properties })
/** One of the numbers from `first` to `last`, or one of `others`. */
export const numberFrom = (first: number, last: number, others: readonly number[] = []): AnswerSchema =>
  ({ enum: [...others, ...Array.from({ length: last - first + 1 }, (_, index) => first + index)] })

/** The most characters that an answer can have, with its punctuation. */
export function longestAnswer (schema: AnswerSchema): number {
  if ('enum' in schema) return 8
  if (schema.type === 'string') return schema.maxLength + 4
  if (schema.type === 'array') return schema.maxItems * (longestAnswer(schema.items) + 8) + 8
  return Object.entries(schema.properties).reduce((sum, [name, one]) => sum + name.length + 12 + longestAnswer(one), 8)
}
