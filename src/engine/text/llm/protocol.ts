/** Messages between the main process and `program.ts`, which runs the language model. All values survive JSON. */
import type { AnswerSchema } from './schema.js'

/** Why the program could not do something. `load`: the model cannot be used. `answer`: this call failed. */
export type FaultKind = 'load' | 'answer' | 'aborted'

export type LoadInput = {
  path: string
  /** Libraries to try, in this order, before the processor. */
  gpus: ReadonlyArray<'cuda' | 'vulkan'>
  threads: number
  /** Most tokens of prompt and answer together, by what computes. A model that was trained for fewer gets fewer. */
  contextTokens: { cpu: number, gpu: number }
}
/** What is known about a loaded model. */
export type ModelFacts = {
  architecture: string
  contextTokens: number
  hasChatTemplate: boolean
  /** What computes: `cpu`, `cuda` or `vulkan`. */
  device: string
  /** In the file's metadata; undefined when it names none. */
  licence: string | undefined
}

export type AnswerInput = {
  /** Rules for all answers. */
  system: string
  /** Text that is data, and what to do with it. It is never read as control tokens. */
  prompt: string
  schema: AnswerSchema
  /** Most tokens of the answer. The answer also ends where the context is full. */
  maxTokens: number
}
export type AnswerOutput = {
  /** JSON of the schema; cut off when it has `maxTokens`. */
  text: string
  promptTokens: number
  answerTokens: number
  /** Until the first token, and from there to the end. */
  promptMs: number
  answerMs: number
}

export type Calls = {
  load: { input: LoadInput, output: ModelFacts }
  /** The number of tokens of each text. */
  count: { input: { texts: readonly string[] }, output: number[] }
  answer: { input: AnswerInput, output: AnswerOutput }
}
export type CallName = keyof Calls

export type Request = { [N in CallName]: { id: number, name: N, input: Calls[N]['input'] } }[CallName] | { abort: number }
export type Reply = { id: number, ok: true, value: unknown } | { id: number, ok: false, fault: FaultKind, message: string }
