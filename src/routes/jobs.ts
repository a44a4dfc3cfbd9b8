/** Polling, and once more. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Retries } from '../service/retries.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Usage } from '../service/usage.js'
import { operation } from './operation.js'
import { principalOf } from './plugins/auth.js'
import { IdParams, JobState, ok, RetriedJob, Success, toJobState } from './schemas.js'

type Deps = { transcripts: Transcripts, retries: Retries, usage: Pick<Usage, 'requireMinutes'> }

export const jobRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { transcripts, retries, usage }) => {
  app.get('/jobs/:id', operation({
    operationId: 'getJobStatus',
    tag: 'Jobs',
    summary: 'How far a job is',
    description: 'Ask until the status is completed or failed.',
    caller: 'transcripts:read',
    params: IdParams,
    replies: { 200: Success(JobState) },
    errors: ['not_found']
  }), async (request, reply) => {
    const state = toJobState(transcripts.read(request.params.id, principalOf(request).ownerId))
    return reply.header('cache-control', 'no-store').send(ok(state))
  })

  app.post('/jobs/:id/retry', operation({
    operationId: 'retryJob',
    tag: 'Jobs',
    summary: 'Queue a failed job again',
    description: 'From the recording that is stored, so nothing has to be uploaded again; what was transcribed before is kept. At most three times.',
    caller: 'transcripts:write',
    idempotent: true,
    params: IdParams,
    replies: { 200: Success(RetriedJob) },
    errors: ['not_found', 'conflict', 'gone', 'minutes_exceeded', 'queue_full']
  }), async (request) => {
    const principal = principalOf(request)
    usage.requireMinutes(principal)
    const job = await retries.retry(request.params.id, principal.ownerId)
    return ok({ jobId: job.id, status: job.status, retryCount: job.retryCount, retryable: retries.isRetryable(job) })
  })
}
