/** Transcriptions and their exports. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type from 'typebox'
import { LIBRARY_SORTS, MAX_LIBRARY_CURSOR_LENGTH, SORT_ORDERS } from '../domain/library-page.js'
import { MAX_LANGUAGE_LENGTH } from '../domain/submission.js'
import { MAX_TAG_LENGTH, MAX_TAGS, MAX_TITLE_LENGTH } from '../domain/titles-and-tags.js'
import { TranscriptDocument } from '../domain/transcript.js'
import type { Removal } from '../service/removal.js'
import type { TitlesAndTags } from '../service/titles-and-tags.js'
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
  ...pageQuery(PAGE_LENGTH, MAX_LIBRARY_CURSOR_LENGTH),
  status: Type.Optional(Type.Enum(TRANSCRIPTION_STATUSES)),
  q: Type.Optional(Type.String({
    minLength: 1, maxLength: MAX_TITLE_LENGTH, description: 'only with this text in the title or file name; case and accents do not count'
  })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH, description: 'only with this tag; case does not count' })),
  language: Type.Optional(Type.String({
    minLength: 1, maxLength: MAX_LANGUAGE_LENGTH, description: 'only in this language: a code or an English name'
  })),
  sort: Type.Optional(Type.Enum(LIBRARY_SORTS, { default: 'created', description: 'by time of creation, by title, or by duration' })),
  order: Type.Optional(Type.Enum(SORT_ORDERS, { description: 'default: desc, for titles asc' }))
})

const Labelling = Type.Object({
  title: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: MAX_TITLE_LENGTH }), Type.Null()], {
    description: 'null: as the recording was named'
  })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
    maxItems: MAX_TAGS, description: 'replaces all tags; of tags that differ only in case, the first one stays'
  }))
}, { title: 'TranscriptionChange', additionalProperties: false, examples: [{ title: 'Weekly meeting', tags: ['work', 'budget'] }] })

const Tags = Type.Array(Type.Object({
  name: Type.String(), count: Type.Integer({ minimum: 1, description: 'transcriptions that have it' })
}, { title: 'Tag' }), { description: 'The tags.', examples: [[{ name: 'work', count: 3 }]] })

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

type Deps = { transcripts: Transcripts, titlesAndTags: TitlesAndTags, removal: Removal }

export const transcriptionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { transcripts, titlesAndTags, removal }) => {
  app.get('/transcriptions', operation({
    operationId: 'listTranscriptions',
    tag: 'Transcriptions',
    summary: 'List transcriptions without their texts',
    description: 'Newest first, unless another order is asked for. If transcriptions are added or deleted between two requests, the next ' +
      'page still repeats nothing and skips nothing.',
    caller: 'transcripts:read',
    querystring: ListQuery,
    replies: { 200: PageOf('TranscriptionPage', ListedTranscription, 'The transcriptions.') }
  }), async (request) => {
    const { limit = PAGE_LENGTH, cursor, status, q, tag, language, sort = 'created', order } = request.query
    const { ownerId } = principalOf(request)
    const choice = { status: status === 'pending' ? 'queued' as const : status, text: q, tag, language }
    const { jobs, next } = transcripts.list({ ownerId, ...choice, sort, order, cursor, limit })
    return { ...ok(jobs.map(toListed)), nextCursor: next ?? null }
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

  app.patch('/transcriptions/:id', operation({
    operationId: 'changeTranscription',
    tag: 'Transcriptions',
    summary: 'Give a title and tags',
    description: 'In any state. What is not in the body does not change. The title is shown in lists, exports and search results.',
    caller: 'transcripts:write',
    params: IdParams,
    body: Labelling,
    replies: { 200: Success(Transcription) },
    errors: ['not_found']
  }), async (request) => {
    const { id } = request.params
    const { ownerId } = principalOf(request)
    titlesAndTags.change(id, ownerId, request.body)
    return ok(toTranscription(transcripts.read(id, ownerId)))
  })

  app.get('/tags', operation({
    operationId: 'listTags',
    tag: 'Transcriptions',
    summary: 'List all tags',
    description: 'The most used first, at most 1000. Of spellings that differ only in case, that of the newest transcription is listed.',
    caller: 'transcripts:read',
    replies: { 200: Success(Tags) }
  }), async (request) => ok(titlesAndTags.listTags(principalOf(request).ownerId)))

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
