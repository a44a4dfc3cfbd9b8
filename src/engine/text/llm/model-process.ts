/** One run of the program that holds a language model: loads the model, sends calls, ends the program. */
import { fileURLToPath } from 'node:url'
import { ArtifactError } from '../../../domain/artifact-error.js'
import { startCompanion } from '../../process.js'
import type { Calls, CallName, LoadInput, ModelFacts, Reply } from './protocol.js'

const PROGRAM = fileURLToPath(new URL('program.js', import.meta.url))
/** An aborted call that has not ended after this time ends the program. */
const ABORT_MS = 800
/** Large models on slow disks. */
const LOAD_MS = 120_000

type Pending = { resolve: (value: unknown) => void, reject: (error: ArtifactError) => void }
type Name = Exclude<CallName, 'load'>

export type ModelProcess = {
  /** Settles when the model is loaded. Rejects with ArtifactError `unavailable`; the program has ended then. */
  ready: Promise<ModelFacts>
  /** Runs a call. Rejects with ArtifactError: `aborted` at once when `signal` aborts, `failed` when the call fails or the program ends. */
  call<N extends Name>(name: N, input: Calls[N]['input'], signal: AbortSignal): Promise<Calls[N]['output']>
  /** Settles when no call is running: an aborted call has been rejected before its program is done with it. */
  quiet (): Promise<void>
  /** Settles when the program has ended. */
  ended: Promise<void>
  stop (): void
}

const ABORTED = 'the answer took too long or is not wanted any more'
const ENDED = 'the program of the language model ended'

function toError ({ fault, message }: Reply & { ok: false }): ArtifactError {
  if (fault === 'load') return new ArtifactError('unavailable', `the language model cannot be loaded: ${message}`)
  return new ArtifactError(fault === 'aborted' ? 'aborted' : 'failed', message)
}

function startProgram (nice: number) {
  const pending = new Map<number, Pending>()
  let nextId = 1
  let hasEnded = false
  let onQuiet: Array<() => void> = []
  const noteQuiet = (): void => {
    if (pending.size > 0) return
    for (const resolve of onQuiet) resolve()
    onQuiet = []
  }
  const companion = startCompanion(PROGRAM, nice, (message) => {
    const reply = message as Reply
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if (reply.ok) call?.resolve(reply.value)
    else call?.reject(toError(reply))
    noteQuiet()
  })
  const ended = companion.ended.then(() => {
    hasEnded = true
    for (const { reject } of pending.values()) reject(new ArtifactError('failed', ENDED))
    pending.clear()
    noteQuiet()
  })

  function endUnlessIdle (id: number): void {
    const timer = setTimeout(() => { if (pending.has(id)) companion.stop() }, ABORT_MS)
    ended.then(() => { clearTimeout(timer) })
  }

  async function call<N extends CallName> (name: N, input: Calls[N]['input'], signal?: AbortSignal): Promise<Calls[N]['output']> {
    if (signal?.aborted) throw new ArtifactError('aborted', ABORTED)
    if (hasEnded) throw new ArtifactError('failed', ENDED)
    const id = nextId++
    let onAbort = (): void => {}
    const answer = new Promise<Calls[N]['output']>((resolve, reject) => {
      pending.set(id, { resolve: (value) => { resolve(value as Calls[N]['output']) }, reject })
      onAbort = () => {
        reject(new ArtifactError('aborted', ABORTED))
        companion.send({ abort: id })
        endUnlessIdle(id)
      }
    })
    signal?.addEventListener('abort', onAbort, { once: true })
    companion.send({ id, name, input })
    return await answer.finally(() => { signal?.removeEventListener('abort', onAbort) })
  }
  const quiet = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      onQuiet.push(resolve)
      noteQuiet()
    })
  }
  return { call, quiet, ended, stop: companion.stop }
}

/** Starts the program, which begins to load the model. `nice`: its priority. */
export function startModel (input: LoadInput, nice: number): ModelProcess {
  const { call, quiet, ended, stop } = startProgram(nice)
  async function load (): Promise<ModelFacts> {
    const timeout = AbortSignal.timeout(LOAD_MS)
    try {
      return await call('load', input, timeout)
    } catch (error) {
      stop()
      await ended
      const reason = error instanceof ArtifactError && error.code === 'unavailable'
        ? error.message
        : timeout.aborted
          ? `the language model was not loaded within ${LOAD_MS / 1000} seconds`
          : 'the language model cannot be loaded: its program ended'
      throw new ArtifactError('unavailable', reason, { cause: error })
    }
  }
  return { ready: load(), call, quiet, ended, stop }
}
