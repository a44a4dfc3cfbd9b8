/** Uploads in parts. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { partCount } from '../domain/upload.js'
import type { Upload, UploadState } from '../domain/upload.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Uploads } from '../service/uploads.js'
import { baseUrlOf } from './contract/base-url.js'
import { acceptBytes, readBody } from './contract/body.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'
import { FileName, Job, JobSettings, ok, Success, toIsoTime } from './contract/schemas.js'
import { JobWebhookFields, MadeSecret } from './webhooks.js'

const UPLOAD_ID = '6f2c1c3e-6d3b-4f60-8a53-0c5f3c0d9b1a'
const DIGEST = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hex' })
const UploadId = Type.String({ minLength: 1, maxLength: 64 })

const InitBody = Type.Object({
  fileName: FileName,
  fileSize: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'bytes' }),
  fileType: Type.Optional(Type.String({ maxLength: 255 })),
  sha256: Type.Optional(Sha256),
  ...JobSettings,
  ...JobWebhookFields
}, {
  title: 'UploadInit', additionalProperties: false,
  examples: [{
    fileName: 'meeting.mp3', fileSize: 2_400_000, language: 'en', options: { sttQuality: 'balanced', terms: ['Stenobox', 'Ada Lovelace'] }
  }]
})

const InitReply = Type.Object({
  uploadId: Type.String(),
  partSize: Type.Integer(),
  partCount: Type.Integer(),
  parts: Type.Array(Type.Object({ partNumber: Type.Integer(), url: Type.String() })),
  expiresAt: Type.String({ format: 'date-time' }),
  webhookSecret: MadeSecret
}, {
  title: 'UploadSession',
  description: 'The new upload.',
  examples: [{
    uploadId: UPLOAD_ID, partSize: 1_048_576, partCount: 1,
    parts: [{ partNumber: 1, url: `http://127.0.0.1:8080/api/v1/media/uploads/${UPLOAD_ID}/parts/1` }],
    expiresAt: '2026-11-22T09:29:00.000Z'
  }]
})

const CompleteBody = Type.Object({ uploadId: UploadId, sha256: Type.Optional(Sha256) }, {
  title: 'UploadComplete', additionalProperties: false, examples: [{ uploadId: UPLOAD_ID }]
})
const Dropped = Type.Object({ uploadId: Type.String() }, { description: 'The upload was cancelled.', examples: [{ uploadId: UPLOAD_ID }] })

const Part = Type.Object({ partNumber: Type.Integer(), size: Type.Integer({ description: 'bytes' }), sha256: Type.String() }, {
  title: 'UploadPart', description: 'The part is stored.', examples: [{ partNumber: 1, size: 1_048_576, sha256: DIGEST }]
})
const UploadView = Type.Object({
  uploadId: Type.String(),
  fileName: Type.String(),
  fileSize: Type.Integer(),
  partSize: Type.Integer(),
  partCount: Type.Integer(),
  received: Type.Array(Part),
  missing: Type.Array(Type.Integer()),
  expiresAt: Type.String({ format: 'date-time' }),
  jobId: Type.Optional(Type.Integer({ description: 'only if the upload is complete' }))
}, {
  title: 'Upload',
  description: 'The upload and its parts.',
  examples: [{
    uploadId: UPLOAD_ID, fileName: 'meeting.mp3', fileSize: 2_400_000, partSize: 1_048_576, partCount: 3,
    received: [{ partNumber: 1, size: 1_048_576, sha256: DIGEST }], missing: [2, 3], expiresAt: '2026-11-22T09:29:00.000Z'
  }]
})
const UploadParams = Type.Object({ uploadId: UploadId })
const PartParams = Type.Object({ uploadId: UploadId, partNumber: Type.Integer({ minimum: 1 }) })

type Deps = { uploads: Uploads, transcripts: Pick<Transcripts, 'read'>, publicUrl: string | undefined }

function partUrls (base: string, upload: Upload): Array<{ partNumber: number, url: string }> {
  return Array.from({ length: partCount(upload) }, (_, index) => ({
    partNumber: index + 1,
    url: `${base}/api/v1/media/uploads/${upload.id}/parts/${index + 1}`
  }))
}

function toView ({ upload, received, missing }: UploadState) {
  return {
    uploadId: upload.id,
    fileName: upload.fileName,
    fileSize: upload.sizeBytes,
    partSize: upload.partSizeBytes,
    partCount: partCount(upload),
    received: received.map(({ partNumber, sizeBytes, sha256 }) => ({ partNumber, size: sizeBytes, sha256 })),
    missing,
    expiresAt: toIsoTime(upload.expiresAt),
    ...(upload.jobId === undefined ? {} : { jobId: upload.jobId })
  }
}

function contentLength (request: FastifyRequest): number | undefined {
  const header = request.headers['content-length']
  return header === undefined ? undefined : Number(header)
}

/** Upload sessions: JSON in, JSON out. */
export const uploadRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { uploads, transcripts, publicUrl }) => {
  app.post('/media/uploads/init', operation({
    operationId: 'initChunkedUpload',
    tag: 'Uploads',
    summary: 'Start an upload in parts',
    description: 'Send the bytes of each part to its url with PUT. Parts may be sent in any order, in parallel, and more than once. ' +
      'Then complete the upload.',
    caller: 'transcripts:write',
    idempotent: true,
    body: InitBody,
    replies: { 201: Success(InitReply) },
    errors: ['media_too_large', 'minutes_exceeded', 'queue_full', 'not_in_plan']
  }), async (request, reply) => {
    const { fileSize: sizeBytes, ...rest } = request.body
    const { upload, ...madeSecret } = await uploads.begin(principalOf(request), { ...rest, sizeBytes })
    return reply.code(201).send(ok({
      uploadId: upload.id,
      partSize: upload.partSizeBytes,
      partCount: partCount(upload),
      parts: partUrls(baseUrlOf(request, publicUrl), upload),
      expiresAt: toIsoTime(upload.expiresAt),
      ...madeSecret
    }))
  })

  app.get('/media/uploads/:uploadId', operation({
    operationId: 'getChunkedUpload',
    tag: 'Uploads',
    summary: 'List the parts that have arrived',
    description: 'A client needs this to resume an upload after a crash of the client or the server.',
    caller: 'transcripts:write',
    params: UploadParams,
    replies: { 200: Success(UploadView) },
    errors: ['not_found', 'gone']
  }), async (request) =>
    ok(toView(uploads.look(request.params.uploadId, principalOf(request).ownerId))))

  app.delete('/media/uploads/:uploadId', operation({
    operationId: 'dropChunkedUpload',
    tag: 'Uploads',
    summary: 'Cancel an upload and delete its parts',
    caller: 'transcripts:write',
    params: UploadParams,
    replies: { 200: Success(Dropped) },
    errors: ['not_found', 'conflict', 'gone']
  }), async (request) => {
    await uploads.drop(request.params.uploadId, principalOf(request).ownerId)
    return ok({ uploadId: request.params.uploadId })
  })

  app.post('/media/uploads/complete', operation({
    operationId: 'completeChunkedUpload',
    tag: 'Uploads',
    summary: 'Complete an upload and create its job',
    description: 'Calling it again returns the same job.',
    caller: 'transcripts:write',
    idempotent: true,
    body: CompleteBody,
    replies: { 200: Success(Job) },
    errors: ['digest_mismatch', 'not_found', 'conflict', 'parts_missing', 'gone', 'minutes_exceeded', 'queue_full']
  }), async (request) => {
    const caller = principalOf(request)
    const { uploadId, sha256 } = request.body
    const jobId = await uploads.complete(uploadId, caller, sha256)
    return ok({ jobId, status: transcripts.read(jobId, caller.ownerId).status })
  })
}

/** Upload parts: raw bytes of any content type, streamed to disk. */
export const partRoutes: FastifyPluginAsyncTypebox<Pick<Deps, 'uploads'>> = async (app, { uploads }) => {
  acceptBytes(app)
  app.put('/media/uploads/:uploadId/parts/:partNumber', {
    ...operation({
      operationId: 'sendUploadPart',
      tag: 'Uploads',
      summary: 'Send one part',
      description: 'The body is the raw bytes of the part. Its length must be exactly the length of the part. Sending a part again ' +
        'replaces it.',
      caller: 'transcripts:write',
      params: PartParams,
      takesBytes: true,
      replies: { 200: Success(Part) },
      errors: ['not_found', 'conflict', 'gone']
    }),
    // Each part has an exact length that is checked later; this only lifts the limit for JSON.
    bodyLimit: Number.MAX_SAFE_INTEGER
  }, async (request, reply) => {
    const { uploadId, partNumber } = request.params
    const part = await uploads.receivePart(uploadId, principalOf(request).ownerId, partNumber, {
      lengthBytes: contentLength(request),
      source: readBody(request, 'part')
    })
    return reply.header('etag', `"${part.sha256}"`).send(ok({ partNumber, size: part.sizeBytes, sha256: part.sha256 }))
  })
}
