/** Job status and retry. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Retries } from '../service/retries.js'
import type { Transcripts } from '../service/transcripts.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'
import { IdParams, JobState, ok, RetriedJob, Success, toJobState } from './contract/schemas.js'

type Deps = { transcripts: Pick<Transcripts, 'read'>, retries: Retries }

export const jobRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { transcripts, retries }) => {
  app.get('/jobs/:id', operation({
    operationId: 'getJobStatus',
    tag: 'Jobs',
    summary: 'Get the status of a job',
    description: 'Poll until the status is completed or failed.',
    caller: 'transcripts:read',
    params: IdParams,
    replies: { 200: Success(JobState) },
    errors: ['not_found']
  }), async (request) => ok(toJobState(transcripts.read(request.params.id, principalOf(request).ownerId))))

  app.post('/jobs/:id/retry', operation({
    operationId: 'retryJob',
    tag: 'Jobs',
    summary: 'Retry a failed job',
    description: 'A job with an uploaded recording continues with what is missing. A job with a URL starts from the beginning ' +
      'and fetches the recording again. A job can be retried at most three times.',
    caller: 'transcripts:write',
    idempotent: true,
    params: IdParams,
    replies: { 200: Success(RetriedJob) },
    errors: ['not_found', 'conflict', 'gone', 'minutes_exceeded', 'queue_full']
  }), async (request) => {
    const job = await retries.retry(request.params.id, principalOf(request))
    return ok({ jobId: job.id, status: job.status, retryCount: job.retryCount, retryable: retries.isRetryable(job) })
  })
}
