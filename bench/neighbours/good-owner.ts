/** The owner who behaves well: uploads, looks at jobs, sends links, and waits for webhooks. Everything is timed. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Name under which the appliance reaches the owner's servers. */
export const GOOD_HOST = 'good.bench'
const POLL_EVERY_MS = 50
const UPLOAD_PAUSE_MS = 1000
/** A request that takes longer has failed. */
const REQUEST_MS = 20_000
/** A clip, from the link to the webhook, that takes longer has failed. */
const CLIP_MS = 120_000

export type Kind = 'poll' | 'part' | 'upload' | 'clip'
/** Times in ms by what was done, and what went wrong. `clip`: from the link to the webhook that says it is done. */
export type Visit = { times: Record<Kind, number[]>, failures: string[] }
export type GoodOwner = { behave: (seconds: number, clipEverySeconds: number) => Promise<Visit>, close: () => Promise<void> }
type Options = { url: string, key: string, clip: string, upload: Buffer }

/** Serves the clip, and hears webhooks. */
async function startWorld (clip: string) {
  const heard = new Set<number>()
  const bytes = readFileSync(clip)
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      return response.writeHead(200, { 'content-type': 'audio/flac', 'content-length': bytes.length }).end(bytes)
    }
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
    heard.add((JSON.parse(body) as { data: { transcriptionId: number } }).data.transcriptionId)
    return response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    heard,
    url: `http://${GOOD_HOST}:${(server.address() as AddressInfo).port}`,
    close: async (): Promise<void> => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }
}

export async function startGoodOwner ({ url, key, clip, upload }: Options): Promise<GoodOwner> {
  const world = await startWorld(clip)
  let links = 0

  async function call<T> (method: string, path: string, body?: object | Buffer): Promise<T> {
    const isRaw = Buffer.isBuffer(body)
    const reply = await fetch(new URL(path, url), {
      method,
      // A new connection for each request: a server that takes none must be noticed.
      headers: {
        authorization: `Bearer ${key}`, connection: 'close',
        ...(body && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' })
      },
      ...(body && { body: isRaw ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS)
    })
    const answer = await reply.json() as { success: boolean, data: T, code?: string }
    if (!answer.success) throw new Error(`${reply.status} ${answer.code}`)
    return answer.data
  }

  /** Times `work` as `kind`; notes its failure. */
  async function time (visit: Visit, kind: Kind, work: () => Promise<unknown>): Promise<void> {
    const startedMs = performance.now()
    try {
      await work()
      visit.times[kind].push(performance.now() - startedMs)
    } catch (error) {
      const { message, cause } = error as Error
      visit.failures.push(`${kind}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`)
    }
  }

  const say = async (): Promise<{ jobId: number }> => await call('POST', '/api/v1/transcriptions', {
    // Another query each time: the same recording would not be fetched twice.
    source: { url: `${world.url}/clip.flac?${++links}` }, language: 'en', webhookUrl: `${world.url}/hook`, webhookSecret: 'good'
  })

  async function hear (jobId: number): Promise<void> {
    for (const startedMs = performance.now(); !world.heard.has(jobId); await sleep(10)) {
      if (performance.now() - startedMs < CLIP_MS) continue
      const { status, failure } = await call<{ status: string, failure: { code: string } | null }>('GET', `/api/v1/jobs/${jobId}`)
      throw new Error(`no webhook of job ${jobId} (${failure?.code ?? status})`)
    }
    const { status, failure } = await call<{ status: string, failure: { code: string } | null }>('GET', `/api/v1/jobs/${jobId}`)
    if (status !== 'completed') throw new Error(`job ${jobId} ended as ${failure?.code ?? status}`)
  }

  async function send (visit: Visit): Promise<void> {
    type Plan = { uploadId: string, partSize: number, parts: Array<{ url: string }> }
    const plan = await call<Plan>('POST', '/api/v1/media/uploads/init', { fileName: 'five', fileSize: upload.length })
    for (const [index, part] of plan.parts.entries()) {
      const bytes = upload.subarray(index * plan.partSize, (index + 1) * plan.partSize)
      await time(visit, 'part', async () => await call('PUT', part.url, bytes))
    }
    const { jobId } = await call<{ jobId: number }>('POST', '/api/v1/media/uploads/complete', { uploadId: plan.uploadId })
    await call('DELETE', `/api/v1/transcriptions/${jobId}`)
  }

  return {
    /** Behaves well for so long, and until what was begun has ended. */
    async behave (seconds, clipEverySeconds) {
      const visit: Visit = { times: { poll: [], part: [], upload: [], clip: [] }, failures: [] }
      const endMs = performance.now() + seconds * 1000
      const isOver = (): boolean => performance.now() >= endMs
      const { jobId } = await say()
      const polls: Array<Promise<void>> = []
      // By the clock, whatever the last one does: a frozen server delays many.
      const polling = setInterval(() => {
        polls.push(time(visit, 'poll', async () => await call('GET', `/api/v1/jobs/${jobId}`)))
      }, POLL_EVERY_MS)
      const uploading = async (): Promise<void> => {
        for (; !isOver(); await sleep(UPLOAD_PAUSE_MS)) await time(visit, 'upload', async () => { await send(visit) })
      }
      const linking = async (): Promise<void> => {
        for (; !isOver(); await sleep(Math.min(clipEverySeconds * 1000, Math.max(0, endMs - performance.now())))) {
          await time(visit, 'clip', async () => { await hear((await say()).jobId) })
        }
      }
      await Promise.all([uploading(), linking(), sleep(seconds * 1000).then(() => { clearInterval(polling) })])
      await Promise.all(polls)
      return visit
    },
    close: world.close
  }
}
