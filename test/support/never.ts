/** For calls that nobody stops. */
export const NEVER: AbortSignal = new AbortController().signal
