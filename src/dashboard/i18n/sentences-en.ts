/** Plainer English for sentences of the appliance that are made for programs. */
import { createSay } from './sentences.ts'
import type { Sentences } from './sentences.ts'

export const sentences = {
  'must NOT have fewer than {count} characters': 'This needs at least {count} characters.',
  'must NOT have more than {count} characters': 'This can have at most {count} characters.',
  'must match pattern {pattern}': 'This cannot begin or end with a space, or have invisible characters.'
} satisfies Sentences

export const say = createSay(sentences)
