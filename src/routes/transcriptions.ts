/** Transcriptions and their exports. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type from 'typebox'
import { parseCursor, toCursor } from '../domain/cursor.js'
import { TranscriptDocument } from '../domain/transcript.js'
import type { Removal } from '../service/removal.js'
import { EXPORT_FORMATS } from '../service/transcripts.js'
import type { Transcripts } from '../service/transcripts.js'
import { attachmentNamed } from './content-disposition.js'
import { operation } from './contract/operation.js'
import { PageOf, pageQuery } from './contract/paging.js'
import { principalOf } from './plugins/auth.js'
import { inPieces } from './plugins/turns.js'
import {
  IdParams, ListedTranscription, ok, Success, toListed, toTranscription, Transcription, TRANSCRIPTION_STATUSES
} from './contract/schemas.js'

/** Transcriptions on a page, unless the caller asks for another number. */
const PAGE_LENGTH = 20

const ListQuery = Type.Object({
  ...pageQuery(PAGE_LENGTH),
  status: Type.Optional(Type.Enum(TRANSCRIPTION_STATUSES))
})

const Removed = Type.Object({ id: Type.Integer() }, { description: 'The transcription was deleted.', examples: [{ id: 42 }] })

const ExportQuery = Type.Object({
  format: Type.Enum(EXPORT_FORMATS),
  speakers: Type.Optional(Type.Enum(['names'], { description: 'for docx: show the names that people have given to speakers' }))
})

const text = (example: string) => Type.String({ examples: [example] })

/** By content type: what each format looks like. */
const FILES = {
  'text/plain': text('The meeting starts at nine.\n'),
  'text/vtt': text('WEBVTT\n\n00:00:00.300 --> 00:00:02.730\nThe meeting starts at nine.\n'),
  'text/markdown': text('# meeting.mp3\n\n**00:00:00** The meeting starts at nine.\n'),
  'application/json': TranscriptDocument,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': Type.String({ format: 'binary' })
}

type Deps = { transcripts: Transcripts, removal: Removal }

export const transcriptionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { transcripts, removal }) => {
  app.get('/transcriptions', operation({
    operationId: 'listTranscriptions',
    tag: 'Transcriptions',
    summary: 'List transcriptions without their texts',
    description: 'Newest first. If transcriptions are added or deleted between two requests, the next page still repeats nothing ' +
      'and skips nothing.',
    caller: 'transcripts:read',
    querystring: ListQuery,
    replies: { 200: PageOf('TranscriptionPage', ListedTranscription, 'The transcriptions, newest first.') }
  }), async (request) => {
    const { limit = PAGE_LENGTH, cursor, status } = request.query
    const before = cursor === undefined ? undefined : parseCursor(cursor)
    const { ownerId } = principalOf(request)
    const { jobs, next } = transcripts.list({ ownerId, status: status === 'pending' ? 'queued' : status, before, limit })
    const nextCursor = next === undefined ? null : toCursor(next)
    return { ...ok(jobs.map(toListed)), nextCursor }
  })

  app.get('/transcriptions/:id', operation({
    operationId: 'getTranscription',
    tag: 'Transcriptions',
    summary: 'Get a transcription with its text',
    caller: 'transcripts:read',
    params: IdParams,
    replies: { 200: Success(Transcription) },
    errors: ['not_found']
  }), async (request) => ok(toTranscription(transcripts.read(request.params.id, principalOf(request).ownerId))))

  app.delete('/transcriptions/:id', operation({
    operationId: 'deleteTranscription',
    tag: 'Transcriptions',
    summary: 'Delete a transcription and its recording',
    description: 'Works in any state, even during transcription. The text, the words, the recording and everything made from them ' +
      'are deleted.',
    caller: 'transcripts:write',
    params: IdParams,
    replies: { 200: Success(Removed) },
    errors: ['not_found']
  }), async (request) => {
    const { id } = request.params
    await removal.remove(id, principalOf(request).ownerId)
    return ok({ id })
  })

  app.get('/transcriptions/:id/export', operation({
    operationId: 'exportTranscript',
    tag: 'Transcriptions',
    summary: 'Export a transcription as a file',
    description: 'The file is made when it is requested. Only completed transcriptions can be exported.',
    caller: 'transcripts:export',
    params: IdParams,
    querystring: ExportQuery,
    replies: {},
    files: FILES,
    errors: ['not_found', 'not_completed', 'not_in_plan']
  }), async (request, reply) => {
    const { format, speakers } = request.query
    const { fileName, contentType, chunks } = transcripts.render(request.params.id, principalOf(request), format, { speakers })
    return reply
      .header('content-disposition', attachmentNamed(fileName))
      .type(contentType)
      .send(Readable.from(inPieces<string | Uint8Array>(chunks, request.takeTurn)))
  })
}
