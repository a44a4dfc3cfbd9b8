/** Transcriptions and their exports. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type from 'typebox'
import { TranscriptDocument } from '../domain/transcript.js'
import { EXPORT_FORMATS } from '../service/transcripts.js'
import type { Transcripts } from '../service/transcripts.js'
import { attachmentNamed } from './content-disposition.js'
import { operation } from './operation.js'
import { principalOf } from './plugins/auth.js'
import { IdParams, ok, Success, toTranscription, Transcription } from './schemas.js'

const ExportQuery = Type.Object({ format: Type.Enum(EXPORT_FORMATS) })

const text = (example: string) => Type.String({ examples: [example] })

/** By content type: what each format looks like. */
const FILES = {
  'text/plain': text('The meeting starts at nine.\n'),
  'text/vtt': text('WEBVTT\n\n00:00:00.300 --> 00:00:02.730\nThe meeting starts at nine.\n'),
  'text/markdown': text('# meeting.mp3\n\n**00:00:00** The meeting starts at nine.\n'),
  'application/json': TranscriptDocument,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': Type.String({ format: 'binary' })
}

export const transcriptionRoutes: FastifyPluginAsyncTypebox<{ transcripts: Transcripts }> = async (app, { transcripts }) => {
  app.get('/transcriptions/:id', operation({
    operationId: 'getTranscription',
    tag: 'Transcriptions',
    summary: 'A transcription with its text',
    caller: 'transcripts:read',
    params: IdParams,
    replies: { 200: Success(Transcription) },
    errors: ['not_found']
  }), async (request, reply) => {
    const transcription = toTranscription(transcripts.read(request.params.id, principalOf(request).ownerId))
    return reply.header('cache-control', 'no-store').send(ok(transcription))
  })

  app.get('/transcriptions/:id/export', operation({
    operationId: 'exportTranscript',
    tag: 'Transcriptions',
    summary: 'A transcription as a file',
    description: 'Rendered anew by every call. Speakers are in `json`, `md` and `docx` on plans that tell them apart, never in subtitles.',
    caller: 'transcripts:export',
    params: IdParams,
    querystring: ExportQuery,
    replies: {},
    files: FILES,
    errors: ['not_found', 'not_completed']
  }), async (request, reply) => {
    const { fileName, contentType, chunks } = transcripts.render(request.params.id, principalOf(request), request.query.format)
    return reply
      .header('cache-control', 'no-store')
      .header('content-disposition', attachmentNamed(fileName))
      .type(contentType)
      .send(Readable.from(chunks))
  })
}
