/** Recordings that are fetched from an address. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Principal } from '../domain/access.js'
import { parseSourceUrl } from '../domain/source.js'
import type { Ingest } from '../service/ingest.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Usage } from '../service/usage.js'
import type { Webhooks } from '../service/webhooks.js'
import { operation } from './operation.js'
import { principalOf } from './plugins/auth.js'
import { Job, JobSettings, ok, Success, toJobOptions } from './schemas.js'
import { JobWebhookFields, MadeSecret, toMadeSecret } from './webhooks.js'

const SOURCE_URL = 'https://example.org/talks/opening.mp3'
const SourceUrl = Type.String({
  minLength: 1, description: 'http or https: a media file, a page of a video or social platform, a podcast feed (its newest episode), or an HLS or DASH manifest'
})

/** What the caller believes of the file. Type and size are found out in any case. */
const Hints = {
  fileName: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'what the transcript is called; else the title the source gives' })),
  fileType: Type.Optional(Type.String({ maxLength: 255 })),
  fileSize: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'bytes' }))
}

const IngestBody = Type.Object({ sourceUrl: SourceUrl, ...Hints, ...JobWebhookFields }, {
  title: 'MediaIngest', additionalProperties: false, examples: [{ sourceUrl: SOURCE_URL, fileName: 'Opening' }]
})
const TranscriptionBody = Type.Object({
  source: Type.Object({ url: SourceUrl }, { additionalProperties: false }),
  ...JobSettings,
  ...Hints,
  ...JobWebhookFields
}, { title: 'TranscriptionCreate', additionalProperties: false, examples: [{ source: { url: SOURCE_URL }, language: 'en', options: { sttQuality: 'balanced' } }] })

const Made = Type.Object({ ...Job.properties, webhookSecret: MadeSecret }, { title: 'FetchingJob', description: 'The job that was made.', examples: [{ jobId: 42, status: 'queued' }] })

type Deps = { ingest: Pick<Ingest, 'submitUrl'>, transcripts: Pick<Transcripts, 'read'>, usage: Pick<Usage, 'requireMinutes'>, webhooks: Pick<Webhooks, 'openJobWebhook'> }
/** What both ways in have in common. `field`: how the body of this one names the address. */
type Wanted = Omit<Static<typeof TranscriptionBody>, 'source'> & { address: string, field: string }

async function submit (
  { ingest, transcripts, usage, webhooks }: Deps, caller: Principal, { address, field, fileName, webhookUrl, webhookSecret, ...settings }: Wanted
): Promise<Static<typeof Made>> {
  usage.requireMinutes(caller)
  const { ownerId, keyId: apiKeyId } = caller
  const url = parseSourceUrl(address, field)
  const webhook = await webhooks.openJobWebhook({ webhookUrl, webhookSecret })
  const jobId = await ingest.submitUrl({ ownerId, apiKeyId, url, fileName, options: toJobOptions(settings), webhook })
  return { jobId, status: transcripts.read(jobId, ownerId).status, ...toMadeSecret(webhook, webhookSecret) }
}

export const sourceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  app.post('/media/ingest', operation({
    operationId: 'ingestMediaFromUrl',
    tag: 'Sources',
    summary: 'Transcribe what is at an address',
    description: 'The job is made at once and fetches the recording later; what goes wrong then is told by the job.',
    caller: 'transcripts:write',
    idempotent: true,
    body: IngestBody,
    replies: { 201: Success(Made) },
    errors: ['minutes_exceeded', 'queue_full']
  }), async (request, reply) => {
    const { sourceUrl: address, ...more } = request.body
    return reply.code(201).header('cache-control', 'no-store').send(ok(await submit(deps, principalOf(request), { ...more, address, field: 'sourceUrl' })))
  })

  app.post('/transcriptions', operation({
    operationId: 'createTranscription',
    tag: 'Sources',
    summary: 'Transcribe what is at an address, in a language and quality',
    description: 'The job is made at once and fetches the recording later; what goes wrong then is told by the job.',
    caller: 'transcripts:write',
    idempotent: true,
    body: TranscriptionBody,
    replies: { 201: Success(Made) },
    errors: ['minutes_exceeded', 'queue_full']
  }), async (request, reply) => {
    const { source, ...more } = request.body
    return reply.code(201).header('cache-control', 'no-store').send(ok(await submit(deps, principalOf(request), { ...more, address: source.url, field: 'source.url' })))
  })
}
