/** A user of the appliance: uploads in parts over HTTP and polls until the transcript is complete. */
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type JobAnswer = {
  id: number
  status: 'queued' | 'processing' | 'completed' | 'failed'
  progress: number
  failure?: { code: string } | null
  webhooks: { pending: number, delivered: number, failed: number }
}
export type SubmitOptions = {
  language?: string, options?: { sttQuality: string, speakers?: boolean }, webhookUrl?: string, webhookSecret?: string
}
/** The json export. `skipped`: what was left out as no speech; absent: the program does not say. All times in seconds. */
export type TranscriptDocument = {
  language?: string
  durationSeconds: number
  segments: Array<{ text: string, words: Array<{ word: string, start: number, end: number, speaker?: string }> }>
  skipped?: Array<{ start: number, end: number }>
}
export type WaitOptions = { everyMs?: number, onAnswer?: (job: JobAnswer) => void }
type UploadPlan = { uploadId: string, partSize: number, parts: Array<{ partNumber: number, url: string }> }

export function createClient (baseUrl: string, key: string) {
  // A new connection for each request: after minutes of other programs, the server has closed an idle one.
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }

  async function call<T> (method: string, path: string, body?: Uint8Array | object): Promise<T> {
    const isRaw = body instanceof Uint8Array
    const reply = await fetch(new URL(path, baseUrl), {
      method,
      headers: { ...headers, ...(body && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' }) },
      ...(body && { body: isRaw ? body as Uint8Array<ArrayBuffer> : JSON.stringify(body) })
    })
    const answer = await reply.json() as { success: boolean, data: T, error?: string }
    if (!answer.success) throw new Error(`${method} ${path}: ${reply.status} ${answer.error}`)
    return answer.data
  }

  async function putParts (file: string, plan: UploadPlan): Promise<void> {
    const handle = await open(file)
    try {
      for (const { partNumber, url } of plan.parts) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(plan.partSize), 0, plan.partSize, (partNumber - 1) * plan.partSize)
        await call('PUT', url, buffer.subarray(0, bytesRead))
      }
    } finally {
      await handle.close()
    }
  }

  /** Polls until the job has ended. Returns the last answer. */
  async function follow (id: number, { everyMs = 50, onAnswer }: WaitOptions = {}): Promise<JobAnswer> {
    for (;;) {
      const job = await call<JobAnswer>('GET', `/api/v1/jobs/${id}`)
      onAnswer?.(job)
      if (job.status === 'completed' || job.status === 'failed') return job
      await sleep(everyMs)
    }
  }

  return {
    /** One request; the field `data` of the answer. Throws an Error when the appliance refuses. */
    call,
    follow,

    async submit (file: string, options: SubmitOptions = {}): Promise<number> {
      const handle = await open(file)
      const { size } = await handle.stat()
      await handle.close()
      const plan = await call<UploadPlan>('POST', '/api/v1/media/uploads/init', { fileName: basename(file), fileSize: size, ...options })
      await putParts(file, plan)
      return (await call<{ jobId: number }>('POST', '/api/v1/media/uploads/complete', { uploadId: plan.uploadId })).jobId
    },

    /** Polls until the job has ended. Throws an Error when it failed. */
    async waitFor (id: number, options: WaitOptions = {}): Promise<void> {
      const { status, failure } = await follow(id, options)
      if (status === 'failed') throw new Error(`Job ${id} failed: ${failure?.code ?? 'unknown'}`)
    },

    /** The json export: segments and words with times in seconds. */
    async readDocument (id: number): Promise<TranscriptDocument> {
      const url = new URL(`/api/v1/transcriptions/${id}/export?format=json`, baseUrl)
      const reply = await fetch(url, { headers })
      if (!reply.ok) throw new Error(`export of ${id}: ${reply.status}`)
      return await reply.json() as TranscriptDocument
    }
  }
}
export type Client = ReturnType<typeof createClient>
