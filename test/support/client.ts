/** A client of the HTTP interface, as a user would write it. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Reply<T = Record<string, unknown>> = {
  status: number
  headers: Headers
  body: { success: boolean, data: T, error: string, code: string, requestId: string }
}
export type JobState = {
  id: number, status: string, progress: number, transcriptText?: string, failure: { code: string, message: string } | null
  retryCount: number, retryable: boolean, webhooks: { pending: number, delivered: number, failed: number }, updatedAt: string
}
type InitData = {
  uploadId: string
  partSize: number
  partCount: number
  parts: Array<{ partNumber: number, url: string }>
  expiresAt: string
}

export function createClient (address: string, key: string) {
  async function request<T> (method: string, path: string, body?: object | Buffer): Promise<Reply<T>> {
    const isJson = body !== undefined && !Buffer.isBuffer(body)
    const response = await fetch(new URL(path, address), {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isJson ? { 'content-type': 'application/json' } : {}) },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : new Uint8Array(body as Buffer) })
    })
    return { status: response.status, headers: response.headers, body: await response.json() as Reply<T>['body'] }
  }

  const client = {
    request,
    begin: async (bytes: Buffer, options: object = {}): Promise<InitData> => {
      const reply = await request<InitData>('POST', '/api/v1/media/uploads/init', {
        fileName: 'recording',
        fileSize: bytes.length,
        ...options
      })
      if (reply.status !== 201) throw new Error(`init: ${reply.status} ${reply.body.error}`)
      return reply.body.data
    },
    /** Sends one part of `bytes`. */
    sendPart: async (upload: InitData, partNumber: number, bytes: Buffer): Promise<Reply> => {
      const offset = (partNumber - 1) * upload.partSize
      const url = upload.parts.find((part) => part.partNumber === partNumber)?.url ?? ''
      return await request('PUT', url, bytes.subarray(offset, offset + upload.partSize))
    },
    complete: async (uploadId: string, more: object = {}): Promise<Reply<{ jobId: number, status: string }>> =>
      await request('POST', '/api/v1/media/uploads/complete', { uploadId, ...more }),
    /** Uploads bytes in parts and returns the id of the job. */
    upload: async (bytes: Buffer, options: object = {}): Promise<number> => {
      const upload = await client.begin(bytes, options)
      for (const { partNumber } of upload.parts) await client.sendPart(upload, partNumber, bytes)
      const reply = await client.complete(upload.uploadId)
      if (reply.status !== 200) throw new Error(`complete: ${reply.status} ${reply.body.error}`)
      return reply.body.data.jobId
    },
    uploadFile: async (path: string, options: object = {}): Promise<number> =>
      await client.upload(readFileSync(path), { fileName: basename(path), ...options }),
    job: async (id: number): Promise<JobState> => (await request<JobState>('GET', `/api/v1/jobs/${id}`)).body.data,
    /** Polls until the job has ended. The caller's test has the timeout. */
    ended: async (id: number): Promise<JobState> => {
      for (;;) {
        const job = await client.job(id)
        if (job.status === 'completed' || job.status === 'failed') return job
        await sleep(50)
      }
    }
  }
  return client
}
export type Client = ReturnType<typeof createClient>
