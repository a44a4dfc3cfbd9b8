/** Transcriptions and their exports. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type from 'typebox'
import { EXPORT_FORMATS } from '../service/transcripts.js'
import type { Transcripts } from '../service/transcripts.js'
import { attachmentNamed } from './content-disposition.js'
import { principalOf } from './plugins/auth.js'
import { IdParams, ok, Success, toTranscription, Transcription } from './schemas.js'

const ExportQuery = Type.Object({ format: Type.Enum(EXPORT_FORMATS) })

export const transcriptionRoutes: FastifyPluginAsyncTypebox<{ transcripts: Transcripts }> = async (app, { transcripts }) => {
  app.get('/transcriptions/:id', { schema: { params: IdParams, response: { 200: Success(Transcription) } } }, async (request, reply) => {
    const transcription = toTranscription(transcripts.read(request.params.id, principalOf(request).ownerId))
    return reply.header('cache-control', 'no-store').send(ok(transcription))
  })

  app.get('/transcriptions/:id/export', { schema: { params: IdParams, querystring: ExportQuery } }, async (request, reply) => {
    const { fileName, contentType, chunks } = transcripts.render(request.params.id, principalOf(request), request.query.format)
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', attachmentNamed(fileName))
      .type(contentType)
      .send(Readable.from(chunks))
  })
}
