/** Vectors of texts on a pool thread, by Transformers.js. It never reaches the network. */
import { basename, dirname } from 'node:path'
import { AutoModel, AutoTokenizer, LogLevel, Tensor, env, mean_pooling as poolMean, ones } from '@huggingface/transformers'
import type { PreTrainedModel, PreTrainedTokenizer } from '@huggingface/transformers'
import { SpeechError } from '../domain/speech-error.js'
import type { CountTokensInput, CountTokensOutput, EmbedInput, EmbedOutput, EmbeddingChoice } from './protocol.js'
import { serveAsync } from './serve.js'

env.allowRemoteModels = false
env.useFSCache = false
env.useBrowserCache = false
env.logLevel = LogLevel.ERROR

/** One thread of inference: more of them would compete with transcription. */
const SESSION = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const
/** Models in memory: the one in use, and the one that a new index is made with. */
const MAX_LOADED = 2
/**
 * Characters of a text that are looked at, for each token that counts. The tokenizer reads a whole text before the rest is cut off, and
 * a word of English has about six characters. A text of longer words loses tokens only after this many characters.
 */
const CHARACTERS_PER_TOKEN = 40

type Loaded = { tokenizer: PreTrainedTokenizer, model: PreTrainedModel }

/** By folder, in the order of last use. */
const loaded = new Map<string, Promise<Loaded>>()

async function load ({ folder, dtype }: EmbeddingChoice): Promise<Loaded> {
  const name = basename(folder)
  env.localModelPath = dirname(folder)
  try {
    const tokenizer = await AutoTokenizer.from_pretrained(name, { local_files_only: true })
    const model = await AutoModel.from_pretrained(name, { local_files_only: true, dtype, device: 'cpu', session_options: SESSION })
    return { tokenizer, model }
  } catch (cause) {
    throw new SpeechError('model_unavailable', `the embedding model in ${folder} cannot be loaded: ${String(cause)}`, { cause })
  }
}

async function modelFor (choice: EmbeddingChoice): Promise<Loaded> {
  const known = loaded.get(choice.folder)
  loaded.delete(choice.folder)
  const wanted = known ?? load(choice)
  loaded.set(choice.folder, wanted)
  for (const [folder, oldest] of [...loaded].slice(0, -MAX_LOADED)) {
    loaded.delete(folder)
    await (await oldest).model.dispose()
  }
  try {
    return await wanted
  } catch (error) {
    loaded.delete(choice.folder)
    throw error
  }
}

export const countTokens = serveAsync(async ({ model, texts }: CountTokensInput): Promise<CountTokensOutput> => {
  const { tokenizer } = await modelFor(model)
  return { counts: texts.map((text) => tokenizer.encode(text, { add_special_tokens: false }).length) }
})

/** The tokens of a text, cut to the model's limit. The last one is special and stays. The library's own truncation drops it. */
function tokenize (tokenizer: PreTrainedTokenizer, text: string, maxTokens: number): bigint[] {
  const ids = tokenizer.encode(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN))
  return (ids.length > maxTokens ? [...ids.slice(0, maxTokens - 1), ...ids.slice(-1)] : ids).map(BigInt)
}

export const embed = serveAsync(async ({ model: choice, text }: EmbedInput): Promise<EmbedOutput> => {
  const { tokenizer, model } = await modelFor(choice)
  const ids = tokenize(tokenizer, text, choice.maxTokens)
  const shape = [1, ids.length]
  const mask = ones(shape)
  const { last_hidden_state: hidden } =
    await model({ input_ids: new Tensor('int64', BigInt64Array.from(ids), shape), attention_mask: mask }) as { last_hidden_state: Tensor }
  const pooled = poolMean(hidden, mask).normalize(2, -1)
  const vector = Float32Array.from(pooled.data as Float32Array)
  if (vector.length !== choice.dimensions) {
    throw new SpeechError('model_unavailable', `the embedding model makes vectors of ${vector.length}, not ${choice.dimensions} numbers`)
  }
  return { vector }
})
