/** Language models and transcripts for tests of the engine `llm`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { ArtifactSource } from '../../dist/domain/artifact.js'
import type { AnswerInput } from '../../dist/engine/text/llm/protocol.js'
import { createResidentModel } from '../../dist/engine/text/llm/resident-model.js'
import type { LoadedModel, ResidentModel } from '../../dist/engine/text/llm/resident-model.js'
import type { AnswerSchema } from '../../dist/engine/text/llm/schema.js'
import { toArtifactSource } from './artifact-sources.ts'
import { makeTinyModel } from './gguf.ts'
import type { TinyModel } from './gguf.ts'

/** Small enough for a busy machine. */
const CONTEXT_TOKENS = 2048

type Options = Partial<Parameters<typeof createResidentModel>[0]>

/** A small model that answers nonsense, in its program. */
export function createNonsense (t: Test, options: Options = {}, model: TinyModel = {}) {
  const path = join(t.testdir({ 'nonsense.gguf': makeTinyModel(model) as unknown as string }), 'nonsense.gguf')
  const resident = createResidentModel({
    find: () => ({ path }), gpu: 'off', threads: 1, contextTokens: { cpu: CONTEXT_TOKENS, gpu: CONTEXT_TOKENS }, nice: 0, ...options
  })
  t.teardown(resident.free)
  return { path, resident, write: (bytes: Uint8Array) => { writeFileSync(path, bytes) } }
}

/** A transcript in which each text is a segment. Words take 300 ms. */
export function speakTexts (texts: readonly string[], language: string | undefined = 'en'): ArtifactSource {
  let clockMs = 0
  const segments = texts.map((text) => {
    const startMs = clockMs
    const words = text.split(' ').map((word) => {
      const spoken = { text: ` ${word}`, startMs: clockMs, endMs: clockMs + 250, probability: 0.9 }
      clockMs += 300
      return spoken
    })
    // A pause that ends a sentence without punctuation.
    clockMs += 3000
    return { startMs, endMs: clockMs - 3050, text: ` ${text}`, words }
  })
  return toArtifactSource({ fileName: 'talk.mp3', language, durationMs: clockMs, segments })
}

/** Sentences with different words. */
export const countedSentences = (count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    `Sentence number${index} of the talk is about water${index} and the river${index % 7} near the house.`)

/** The shortest answer that a schema allows; texts repeat `words`, numbers are the first ones. */
function makeAnswer (schema: AnswerSchema, words: string): unknown {
  if ('enum' in schema) return schema.enum[0]
  if (schema.type === 'string') return words.repeat(Math.ceil(schema.minLength / words.length))
  if (schema.type === 'array') return Array.from({ length: schema.minItems }, () => makeAnswer(schema.items, words))
  return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, makeAnswer(one, words)]))
}

/** A model that gives valid answers without thinking, with one token for each character of a prompt. `asked` gets all prompts. */
export function createEcho (words: string, contextTokens: number) {
  const asked: AnswerInput[] = []
  const model: LoadedModel = {
    facts: { architecture: 'echo', contextTokens, hasChatTemplate: true, device: 'cpu', licence: undefined },
    countTokens: async (texts) => texts.map(({ length }) => length),
    answer: async (input) => {
      asked.push(input)
      const text = JSON.stringify(makeAnswer(input.schema, words))
      return { text, promptTokens: input.prompt.length, answerTokens: text.length, promptMs: 1, answerMs: 1 }
    }
  }
  const resident: Pick<ResidentModel, 'use'> = { use: async (work) => await work(model) }
  return { asked, resident }
}
