/**
 * The program that runs the language model: llama.cpp through node-llama-cpp. It stays, and answers the messages of `protocol.ts` one after
 * the other. A model that crashes, hangs or takes all memory ends only this program.
 */
import { getLlama, LlamaChatSession, LlamaCompletion, LlamaLogLevel, resolveChatWrapper } from 'node-llama-cpp'
import type { ChatWrapper, Llama, LlamaContextSequence, LlamaGrammar, LlamaModel, Token } from 'node-llama-cpp'
import { raiseOomScore } from '../../oom-score.js'
import type { AnswerInput, AnswerOutput, Calls, LoadInput, ModelFacts, Reply, Request } from './protocol.js'

/** Tokens of a prompt that are computed between two looks at the abort signal: at most a second on a slow processor. */
const BATCH_TOKENS = 128
/** What a chat template adds to a prompt, at most. */
const TEMPLATE_TOKENS = 64

type Loaded = { llama: Llama, model: LlamaModel, sequence: LlamaContextSequence, wrapper: ChatWrapper | undefined, facts: ModelFacts }
let loaded: Loaded | undefined

async function openLibrary (gpus: LoadInput['gpus']): Promise<Llama> {
  // Never `auto`: it takes software drivers for a GPU. Never a build or a download: the library is what was installed.
  const options = { build: 'never', skipDownload: true, progressLogs: false, maxThreads: 0, logLevel: LlamaLogLevel.error } as const
  for (const gpu of gpus) {
    try {
      return await getLlama({ ...options, gpu })
    } catch {
      // No library or no device: the next one, and at last the processor. `device` tells which one is used.
    }
  }
  return await getLlama({ ...options, gpu: false })
}

async function load ({ path, gpus, threads, contextTokens }: LoadInput): Promise<ModelFacts> {
  const llama = await openLibrary(gpus)
  const model = await llama.loadModel({ modelPath: path, ...(llama.gpu === false && { gpuLayers: 0 }) })
  const contextSize = Math.min(contextTokens[llama.gpu === false ? 'cpu' : 'gpu'], model.trainContextSize)
  const context = await model.createContext({ contextSize, batchSize: BATCH_TOKENS, threads, sequences: 1 })
  const { general, tokenizer } = model.fileInfo.metadata
  const template = tokenizer?.chat_template
  const facts = {
    architecture: String(general?.architecture ?? 'unknown'),
    contextTokens: context.contextSize,
    hasChatTemplate: template !== undefined,
    device: llama.gpu === false ? 'cpu' : llama.gpu,
    licence: general?.license
  }
  // A base model without a template continues plain text. The names of thinking models' settings are the library's.
  const wrapper = template === undefined
    ? undefined
    : resolveChatWrapper(model, { customWrapperSettings: { qwen: { thoughts: 'discourage' } } })
  loaded = { llama, model, sequence: context.getSequence(), wrapper, facts }
  return facts
}

function requireLoaded (): Loaded {
  if (!loaded) throw new Error('no model is loaded')
  return loaded
}

function count ({ texts }: Calls['count']['input']): number[] {
  const { model } = requireLoaded()
  return texts.map((text) => model.tokenize(text, false).length)
}

type Run = { grammar: LlamaGrammar, signal: AbortSignal, maxTokens: number, onToken: (tokens: readonly Token[]) => void }

/** The answer of a model with a chat template. */
async function chat ({ sequence, wrapper }: Loaded, { system, prompt }: AnswerInput, run: Run): Promise<string> {
  const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: system, ...(wrapper && { chatWrapper: wrapper }) })
  try {
    const { responseText } = await session.promptWithMeta(prompt, {
      ...run, temperature: 0, repeatPenalty: false, budgets: { thoughtTokens: 0 }
    })
    return responseText
  } finally {
    session.dispose({ disposeSequence: false })
  }
}

/** The answer of a base model: it continues the text. */
async function complete ({ sequence, model }: Loaded, { system, prompt }: AnswerInput, run: Run): Promise<string> {
  const completion = new LlamaCompletion({ contextSequence: sequence })
  try {
    const input = model.tokenize(`${system}\n\n${prompt}\n\nAnswer:\n`, false)
    return await completion.generateCompletion(input, { ...run, temperature: 0, repeatPenalty: false })
  } finally {
    completion.dispose({ disposeSequence: false })
  }
}

async function answer (input: AnswerInput, signal: AbortSignal): Promise<AnswerOutput> {
  const here = requireLoaded()
  // The library's types follow a literal schema; ours is known when the program runs.
  const grammar = await here.llama.createGrammarForJsonSchema(input.schema as { readonly type: 'string' })
  // Where the context is full, the library would drop the beginning of the prompt.
  const room = here.facts.contextTokens - here.model.tokenize(input.system + input.prompt, false).length - TEMPLATE_TOKENS
  if (room <= 0) throw new Error('the prompt does not fit into the context')
  const startedMs = performance.now()
  let firstMs: number | undefined
  let answerTokens = 0
  const onToken = (tokens: readonly Token[]): void => {
    firstMs ??= performance.now()
    answerTokens += tokens.length
  }
  const run = { grammar, signal, maxTokens: Math.min(room, input.maxTokens), onToken }
  const text = here.wrapper ? await chat(here, input, run) : await complete(here, input, run)
  const endedMs = performance.now()
  const promptMs = (firstMs ?? endedMs) - startedMs
  const promptTokens = Math.max(0, here.sequence.nextTokenIndex - answerTokens)
  return { text, promptTokens, answerTokens, promptMs, answerMs: endedMs - startedMs - promptMs }
}

// ---------------------------------------------------------------- messages

const aborts = new Map<number, AbortController>()

async function perform (request: Exclude<Request, { abort: number }>, signal: AbortSignal): Promise<unknown> {
  switch (request.name) {
    case 'load': return await load(request.input)
    case 'count': return count(request.input)
    case 'answer': return await answer(request.input, signal)
  }
}

async function serve (request: Exclude<Request, { abort: number }>): Promise<Reply> {
  const abort = new AbortController()
  const { id, name } = request
  aborts.set(id, abort)
  try {
    return { id, ok: true, value: await perform(request, abort.signal) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { id, ok: false, fault: abort.signal.aborted ? 'aborted' : name === 'load' ? 'load' : 'answer', message }
  } finally {
    aborts.delete(id)
  }
}

raiseOomScore(1000)
let last: Promise<void> = Promise.resolve()
process.on('message', (message: Request) => {
  if ('abort' in message) {
    aborts.get(message.abort)?.abort()
    return
  }
  last = last.then(async () => { process.send?.(await serve(message)) })
})
process.on('disconnect', () => { process.exit() })
