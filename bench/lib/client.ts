/** A user of the appliance who does more than the evaluation: addresses, webhooks, single looks at a job. */
import { createClient as createUser } from '../../dist/evaluate/client.js'
import type { Client as User, JobAnswer } from '../../dist/evaluate/client.js'

export type Endpoint = { id: number, signingSecret: string }
export type Client = User & {
  findJob: (id: number) => Promise<JobAnswer>
  createEndpoint: (url: string) => Promise<Endpoint>
  submitUrl: (sourceUrl: string) => Promise<number>
  readText: (id: number) => Promise<{ text: string, language: string }>
}

export function createClient (baseUrl: string, key: string): Client {
  const user = createUser(baseUrl, key)
  return {
    ...user,
    findJob: (id) => user.call<JobAnswer>('GET', `/api/v1/jobs/${id}`),
    createEndpoint: async (url) => (await user.call<{ endpoint: Endpoint }>('POST', '/api/v1/webhooks/endpoints', { url })).endpoint,
    submitUrl: async (sourceUrl) => (await user.call<{ jobId: number }>('POST', '/api/v1/media/ingest', { sourceUrl })).jobId,
    async readText (id) {
      const { text, language } = await user.call<{ text: string | null, language: string | null }>('GET', `/api/v1/transcriptions/${id}`)
      return { text: text ?? '', language: language ?? '' }
    }
  }
}
