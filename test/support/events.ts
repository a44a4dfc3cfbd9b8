/** A page that follows the server-sent events of its owner. */
import { waitFor } from './wait.ts'

export type SeenEvent = { event: string, data: { id?: number, status?: string, stage?: string, progress?: number, title?: string } }

/**
 * Connects with a key, or with the cookie of a session, and reads until the stream ends or `close` is called. Throws an Error when the
 * reply is not a stream.
 */
export async function followEvents (address: string, credential: string | { cookie: string }) {
  const stop = new AbortController()
  const headers = typeof credential === 'string' ? { authorization: `Bearer ${credential}` } : credential
  const reply = await fetch(new URL('/api/v1/events', address), { headers, signal: stop.signal })
  if (reply.status !== 200 || !reply.body) throw new Error(`events: ${reply.status} ${await reply.text()}`)
  const seen: SeenEvent[] = []
  let text = ''
  let heartbeats = 0
  let state: 'open' | 'ended' | 'cut' = 'open'

  function read (frame: string): void {
    const fields = Object.fromEntries(frame.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]))
    if (frame === ':') heartbeats++
    if (fields['event'] !== undefined) seen.push({ event: fields['event'], data: JSON.parse(fields['data'] ?? '') as SeenEvent['data'] })
  }

  async function readAll (body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) read(frame)
    }
  }
  const reading = readAll(reply.body as unknown as AsyncIterable<Uint8Array>)
    .then(() => { state = 'ended' }, () => { state = 'cut' })

  return {
    headers: reply.headers,
    seen,
    heartbeats: () => heartbeats,
    /** `ended`: by the server, in order. */
    state: () => state,
    /** Waits until an event fits. */
    async event (what: string, fits: (event: SeenEvent) => boolean): Promise<SeenEvent> {
      return await waitFor(what, () => seen.find(fits), { progress: () => seen.length })
    },
    async close (): Promise<void> {
      stop.abort()
      await reading
    }
  }
}
export type Followed = Awaited<ReturnType<typeof followEvents>>
