/** Polling. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Transcripts } from '../service/transcripts.js'
import { principalOf } from './plugins/auth.js'
import { IdParams, JobState, ok, Success, toJobState } from './schemas.js'

export const jobRoutes: FastifyPluginAsyncTypebox<{ transcripts: Transcripts }> = async (app, { transcripts }) => {
  app.get('/jobs/:id', { schema: { params: IdParams, response: { 200: Success(JobState) } } }, async (request, reply) => {
    const state = toJobState(transcripts.read(request.params.id, principalOf(request).ownerId))
    return reply.header('cache-control', 'no-store').send(ok(state))
  })
}
