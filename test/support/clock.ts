/** A clock that moves only when told to. */

export type Clock = { now (): number, advance (ms: number): void }

export const START_MS = Date.UTC(2026, 0, 1)

export function createClock (startMs: number = START_MS): Clock {
  let ms = startMs
  return {
    now: () => ms,
    advance: (by) => { ms += by }
  }
}
