/** Fetching a model in the background of the server. */

export const MODEL_TASK_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled'] as const
export type ModelTaskState = typeof MODEL_TASK_STATES[number]

export type ModelTask = {
  id: number
  /** A model, or a set as `set:NAME`. */
  name: string
  state: ModelTaskState
  /** The file that is being fetched, or what is done with it. */
  step: string | undefined
  doneBytes: number
  /** Undefined until it is known. */
  totalBytes: number | undefined
  /** What happened on the way, oldest first: sources that did not answer, retries, installed models. */
  notes: string[]
  /** Why it failed. */
  error: string | undefined
  createdAt: number
  endedAt: number | undefined
}

export const hasTaskEnded = ({ state }: Pick<ModelTask, 'state'>): boolean => state !== 'waiting' && state !== 'running'
