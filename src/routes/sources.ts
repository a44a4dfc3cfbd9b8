/** Recordings that are fetched from a URL. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { JobRequest } from '../domain/submission.js'
import type { Submit } from '../service/submit.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'
import { FileName, Job, JobSettings, ok, Success } from './contract/schemas.js'
import { JobWebhookFields, MadeSecret } from './webhooks.js'

const SOURCE_URL = 'https://example.org/talks/opening.mp3'
const SourceUrl = Type.String({
  minLength: 1,
  description: 'http or https: a media file, a page of a video or social platform, a podcast feed (its newest episode), ' +
    'or an HLS or DASH manifest'
})

/** What the caller knows about the file. Its type and size are checked after the download. */
const Hints = {
  fileName: Type.Optional(Type.String({ ...FileName, description: 'name of the transcript; default: the title given by the source' })),
  fileType: Type.Optional(Type.String({ maxLength: 255 })),
  fileSize: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'bytes' }))
}

const IngestBody = Type.Object({ sourceUrl: SourceUrl, ...JobSettings, ...Hints, ...JobWebhookFields }, {
  title: 'MediaIngest', additionalProperties: false, examples: [{ sourceUrl: SOURCE_URL, fileName: 'Opening' }]
})
const TranscriptionBody = Type.Object({
  source: Type.Object({ url: SourceUrl }, { additionalProperties: false }),
  ...JobSettings,
  ...Hints,
  ...JobWebhookFields
}, {
  title: 'TranscriptionCreate', additionalProperties: false,
  examples: [{ source: { url: SOURCE_URL }, language: 'en', options: { sttQuality: 'balanced' } }]
})

const Made = Type.Object({ ...Job.properties, webhookSecret: MadeSecret }, {
  title: 'FetchingJob', description: 'The new job.', examples: [{ jobId: 42, status: 'queued' }]
})

const DESCRIPTION = 'Creates the job immediately and fetches the recording in the background. If that fails, the job fails with the reason.'

type Deps = { submit: Pick<Submit, 'submitAddress'> }

export const sourceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { submit }) => {
  async function reply (request: FastifyRequest, answer: FastifyReply, address: { url: string, field: string }, wanted: JobRequest) {
    const { job, ...madeSecret } = await submit.submitAddress(principalOf(request), address, wanted)
    return answer.code(201).send(ok({ jobId: job.id, status: job.status, ...madeSecret }))
  }

  app.post('/media/ingest', operation({
    operationId: 'ingestMediaFromUrl',
    tag: 'Sources',
    summary: 'Transcribe a recording from a URL',
    description: DESCRIPTION,
    caller: 'transcripts:write',
    idempotent: true,
    body: IngestBody,
    replies: { 201: Success(Made) },
    errors: ['minutes_exceeded', 'queue_full', 'not_in_plan']
  }), async (request, answer) => await reply(request, answer, { url: request.body.sourceUrl, field: 'sourceUrl' }, request.body))

  app.post('/transcriptions', operation({
    operationId: 'createTranscription',
    tag: 'Sources',
    summary: 'Transcribe a recording from a URL given as source.url',
    description: DESCRIPTION,
    caller: 'transcripts:write',
    idempotent: true,
    body: TranscriptionBody,
    replies: { 201: Success(Made) },
    errors: ['minutes_exceeded', 'queue_full', 'not_in_plan']
  }), async (request, answer) => await reply(request, answer, { url: request.body.source.url, field: 'source.url' }, request.body))
}
