/** Fair use of an engine that does one thing at a time. */

export type InTurn = <T>(ownerId: number, make: () => Promise<T>) => Promise<T>

/** Runs the requests of an owner one after another, so that nobody's requests fill the queue of the engine. */
export function createTurns (): InTurn {
  /** The end of the last request of each owner. */
  const turns = new Map<number, Promise<unknown>>()
  return async (ownerId, make) => {
    const made = (turns.get(ownerId) ?? Promise.resolve()).then(make)
    const ended = made.catch(() => {})
    turns.set(ownerId, ended)
    try {
      return await made
    } finally {
      if (turns.get(ownerId) === ended) turns.delete(ownerId)
    }
  }
}
