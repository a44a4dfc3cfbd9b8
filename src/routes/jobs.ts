/** Polling. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Transcripts } from '../service/transcripts.js'
import { operation } from './operation.js'
import { principalOf } from './plugins/auth.js'
import { IdParams, JobState, ok, Success, toJobState } from './schemas.js'

export const jobRoutes: FastifyPluginAsyncTypebox<{ transcripts: Transcripts }> = async (app, { transcripts }) => {
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
}
