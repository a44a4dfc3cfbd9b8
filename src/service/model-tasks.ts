/**
 * Models as the administrator manages them while the server runs: fetched in the background, one after another, imported and removed. What
 * is installed is used without a restart, because each piece of work chooses its model when it begins.
 */
import { AppError } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import { BusyError, ModelError, NoRoomError } from '../domain/model-error.js'
import { hasTaskEnded } from '../domain/model-task.js'
import type { ModelTask } from '../domain/model-task.js'
import type { ModelView, SetView } from './model-catalogue.js'
import type { ModelLibrary, Watcher } from './model-library.js'
import { pullWhenUnlocked } from './model-lock-wait.js'

/** Ended tasks that are remembered. */
const MAX_ENDED = 20
const MAX_WAITING = 50
const MAX_NOTES = 30

type Library = Pick<ModelLibrary, 'list' | 'isKnown' | 'requireFetchable' | 'pull' | 'importFrom' | 'remove'>
/** `open`: loads the library at the first use, because most servers never need its archiver. */
type Deps = { open: () => Promise<Library>, log: Pick<Log, 'info' | 'warn' | 'error'>, now: () => number }

const IGNORE: Watcher = { begin () {}, progress () {}, note () {}, end () {} }

const copy = (task: ModelTask): ModelTask => ({ ...task, notes: [...task.notes] })

/** Converts an error of the model library to an error of a request. `code`: for a model or an archive that cannot be used. */
function toAppError (error: unknown, code: 'invalid_request' | 'conflict'): unknown {
  if (!(error instanceof ModelError)) return error
  const { message, cause } = error
  const sentence = `${message}.`
  if (error instanceof NoRoomError) return new AppError('insufficient_storage', sentence, { cause })
  return new AppError(error instanceof BusyError ? 'conflict' : code, sentence, { cause })
}

/** What a model is used for now; undefined if it is not in use. */
function describeUse ({ usedFor, makesArtifacts, tellsSpeakers, makesVectors }: ModelView): string | undefined {
  if (usedFor.length > 0) return `transcripts of quality ${usedFor.join(', ')}`
  if (makesArtifacts) return 'summaries, chapters, quotes and posts'
  if (tellsSpeakers) return 'speakers'
  return makesVectors ? 'search' : undefined
}

export function createModelTasks ({ open, log, now }: Deps) {
  /** Oldest first. */
  const tasks: ModelTask[] = []
  const controllers = new Map<number, AbortController>()
  let lastId = 0
  let isStopped = false
  let running: Promise<void> | undefined

  /** Throws `not_found`, and `conflict` while nothing may be fetched. */
  async function requireFetchable (name: string): Promise<void> {
    const library = await open()
    if (!library.isKnown(name)) throw new AppError('not_found', 'There is no such model or set. The list of models has the names.')
    try {
      library.requireFetchable([name])
    } catch (error) {
      throw toAppError(error, 'conflict')
    }
  }

  function note (task: ModelTask, sentence: string): void {
    task.notes.push(sentence)
    if (task.notes.length > MAX_NOTES) task.notes.shift()
  }

  const watch = (task: ModelTask, signal: AbortSignal): Watcher => ({
    begin (label) { Object.assign(task, { step: label, doneBytes: 0, totalBytes: undefined }) },
    progress (doneBytes, totalBytes) {
      // Unpacking and converting do not look at the signal, but they report their progress.
      signal.throwIfAborted()
      Object.assign(task, { doneBytes, totalBytes })
    },
    note (sentence) { note(task, sentence) },
    end (sentence) { note(task, sentence) },
    signal
  })

  function end (task: ModelTask, state: 'done' | 'failed' | 'cancelled', error?: string): void {
    Object.assign(task, { state, error, step: undefined, endedAt: now() })
    const ended = tasks.filter(hasTaskEnded)
    for (const old of ended.slice(0, -MAX_ENDED)) tasks.splice(tasks.indexOf(old), 1)
  }

  async function run (task: ModelTask): Promise<void> {
    const controller = new AbortController()
    controllers.set(task.id, controller)
    task.state = 'running'
    try {
      const { pull } = await open()
      await pullWhenUnlocked(pull, task.name, watch(task, controller.signal))
      end(task, 'done')
      log.info({ model: task.name }, 'model installed')
    } catch (error) {
      if (controller.signal.aborted) return end(task, 'cancelled')
      end(task, 'failed', error instanceof ModelError ? error.message : 'it failed inside the appliance; details are in the log')
      log.warn({ model: task.name, err: error }, 'model could not be installed')
    } finally {
      controllers.delete(task.id)
    }
  }

  async function runAll (): Promise<void> {
    for (let task = findNext(); task; task = findNext()) await run(task)
    running = undefined
  }

  const findNext = (): ModelTask | undefined => isStopped ? undefined : tasks.find(({ state }) => state === 'waiting')

  function find (id: number): ModelTask {
    const task = tasks.find((one) => one.id === id)
    if (task) return task
    throw new AppError('not_found', 'There is no such task. A restart of the server forgets all tasks; see the list of models.')
  }

  return {
    list: async (): Promise<{ models: ModelView[], sets: SetView[], unlisted: string[] }> => await (await open()).list(),

    /**
     * Fetches a model in the background; if it is being fetched already, returns that task. Throws `not_found`, and `conflict` while
     * nothing may be fetched.
     */
    async pull (name: string): Promise<ModelTask> {
      await requireFetchable(name)
      const known = tasks.find((task) => task.name === name && !hasTaskEnded(task))
      if (known) return copy(known)
      if (isStopped) throw new AppError('unavailable', 'The appliance is being stopped.')
      if (tasks.filter((task) => !hasTaskEnded(task)).length >= MAX_WAITING) throw new AppError('conflict', 'Too many models wait already.')
      const task: ModelTask = {
        id: ++lastId, name, state: 'waiting', step: undefined, doneBytes: 0, totalBytes: undefined, notes: [], error: undefined,
        createdAt: now(), endedAt: undefined
      }
      tasks.push(task)
      running ??= runAll()
      return copy(task)
    },

    /** Tasks since the start of the server, newest first. */
    listTasks: (): ModelTask[] => tasks.map(copy).reverse(),

    /** Stops a task; what has arrived is kept, and the next pull resumes. An ended task stays as it is. Throws `not_found`. */
    cancel (id: number): ModelTask {
      const task = find(id)
      if (task.state === 'waiting') end(task, 'cancelled')
      controllers.get(id)?.abort(new Error('cancelled'))
      return copy(task)
    },

    /**
     * Installs the models of an archive, all or none, and returns their names. Throws `invalid_request` for an archive that is damaged or
     * does not fit, `conflict` while models are being fetched, `insufficient_storage`.
     */
    async importFrom (source: AsyncIterable<Uint8Array>, sha256: string | undefined): Promise<string[]> {
      try {
        const names = await (await open()).importFrom(source, sha256, IGNORE)
        log.info({ models: names }, 'models imported')
        return names
      } catch (error) {
        throw toAppError(error, 'invalid_request')
      }
    },

    /** Deletes a model. Throws `not_found`, and `conflict` when it is in use, comes with the program, or models are being fetched. */
    async remove (name: string): Promise<void> {
      const library = await open()
      const model = (await library.list()).models.find((one) => one.name === name)
      if (!model) throw new AppError('not_found', 'There is no such model. The list of models has the names.')
      const use = model.bundled ? undefined : describeUse(model)
      if (use !== undefined) throw new AppError('conflict', `${name} is in use for ${use}. Install another model for that first.`)
      try {
        await library.remove([name])
      } catch (error) {
        throw toAppError(error, 'conflict')
      }
      log.info({ model: name }, 'model removed')
    },

    /** Stops what runs; what has arrived is kept. */
    async stop (): Promise<void> {
      isStopped = true
      for (const controller of controllers.values()) controller.abort(new Error('stopping'))
      await running
    }
  }
}
export type ModelTasks = ReturnType<typeof createModelTasks>
