/** How the work of an engine is stopped. */

/** Stops one call: it rejects with code `aborted` within about a second. Threads look at the flag; helpers are told by the signal. */
export type Abort = { readonly flag: Int32Array, readonly signal: AbortSignal, stop (): void }

export function createAbort (): Abort {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const controller = new AbortController()
  const stop = (): void => {
    Atomics.store(flag, 0, 1)
    controller.abort()
  }
  return { flag, signal: controller.signal, stop }
}
