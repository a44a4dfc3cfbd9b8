/** Chunked uploads. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { AppError } from '../domain/errors.js'
import { parseLanguage } from '../domain/language.js'
import { MAX_PROMPT_LENGTH, SttQuality } from '../domain/job.js'
import { partCount } from '../domain/upload.js'
import type { Upload } from '../domain/upload.js'
import type { Uploads, UploadState } from '../service/uploads.js'
import type { Transcripts } from '../service/transcripts.js'
import { principalOf } from './plugins/auth.js'
import { Job, ok, Success } from './schemas.js'

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in lower-case hex' })
const UploadId = Type.String({ minLength: 1, maxLength: 64 })

const InitBody = Type.Object({
  fileName: Type.String({ minLength: 1, maxLength: 255 }),
  fileSize: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'bytes' }),
  fileType: Type.Optional(Type.String({ maxLength: 255 })),
  sha256: Type.Optional(Sha256),
  language: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  options: Type.Optional(Type.Object({
    sttQuality: Type.Optional(SttQuality),
    prompt: Type.Optional(Type.String({ maxLength: MAX_PROMPT_LENGTH, description: 'names and terms to expect' }))
  }, { additionalProperties: false }))
}, { additionalProperties: false })

const InitReply = Type.Object({
  uploadId: Type.String(),
  partSize: Type.Integer(),
  partCount: Type.Integer(),
  parts: Type.Array(Type.Object({ partNumber: Type.Integer(), url: Type.String() })),
  expiresAt: Type.String({ format: 'date-time' })
})

const Part = Type.Object({ partNumber: Type.Integer(), size: Type.Integer(), sha256: Type.String() })
const UploadView = Type.Object({
  uploadId: Type.String(),
  fileName: Type.String(),
  fileSize: Type.Integer(),
  partSize: Type.Integer(),
  partCount: Type.Integer(),
  received: Type.Array(Part),
  missing: Type.Array(Type.Integer()),
  expiresAt: Type.String({ format: 'date-time' }),
  jobId: Type.Optional(Type.Integer())
})
const UploadParams = Type.Object({ uploadId: UploadId })
const PartParams = Type.Object({ uploadId: UploadId, partNumber: Type.Integer({ minimum: 1 }) })

type Deps = { uploads: Uploads, transcripts: Transcripts, publicUrl: string | undefined }

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
    expiresAt: new Date(upload.expiresAt).toISOString(),
    ...(upload.jobId === undefined ? {} : { jobId: upload.jobId })
  }
}

function contentLength (request: FastifyRequest): number | undefined {
  const header = request.headers['content-length']
  return header === undefined ? undefined : Number(header)
}

/** The body as it arrives; a caller who hangs up half-way is no fault of ours. */
async function * readBody (request: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    yield * request.raw as AsyncIterable<Buffer>
  } catch (cause) {
    throw new AppError('invalid_request', 'The connection ended before the part was complete. Send it again.', { cause })
  }
}

/** Upload sessions: JSON in, JSON out. */
export const uploadRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { uploads, transcripts, publicUrl }) => {
  app.post('/media/uploads/init', { schema: { body: InitBody, response: { 201: Success(InitReply) } } }, async (request, reply) => {
    const { fileName, fileSize, fileType, sha256, language, options } = request.body
    const code = language === undefined ? undefined : parseLanguage(language)
    const upload = await uploads.begin({
      ownerId: principalOf(request).ownerId,
      fileName,
      sizeBytes: fileSize,
      fileType,
      sha256,
      options: { ...(code === undefined ? {} : { language: code }), sttQuality: options?.sttQuality ?? 'balanced', ...(options?.prompt ? { prompt: options.prompt } : {}) }
    })
    const base = publicUrl ?? `${request.protocol}://${request.host}`
    return reply.code(201).send(ok({
      uploadId: upload.id,
      partSize: upload.partSizeBytes,
      partCount: partCount(upload),
      parts: partUrls(base, upload),
      expiresAt: new Date(upload.expiresAt).toISOString()
    }))
  })

  app.get('/media/uploads/:uploadId', { schema: { params: UploadParams, response: { 200: Success(UploadView) } } }, async (request) =>
    ok(toView(uploads.look(request.params.uploadId, principalOf(request).ownerId))))

  app.delete('/media/uploads/:uploadId', {
    schema: { params: UploadParams, response: { 200: Success(Type.Object({ uploadId: Type.String() })) } }
  }, async (request) => {
    await uploads.drop(request.params.uploadId, principalOf(request).ownerId)
    return ok({ uploadId: request.params.uploadId })
  })

  app.post('/media/uploads/complete', {
    schema: { body: Type.Object({ uploadId: UploadId, sha256: Type.Optional(Sha256) }, { additionalProperties: false }), response: { 200: Success(Job) } }
  }, async (request) => {
    const { ownerId } = principalOf(request)
    const jobId = await uploads.complete(request.body.uploadId, ownerId, request.body.sha256)
    return ok({ jobId, status: transcripts.read(jobId, ownerId).status })
  })
}

/** Upload parts: raw bytes of any content type, streamed to disk. */
export const partRoutes: FastifyPluginAsyncTypebox<Pick<Deps, 'uploads'>> = async (app, { uploads }) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => { done(null, payload) })
  app.put('/media/uploads/:uploadId/parts/:partNumber', {
    schema: { params: PartParams, response: { 200: Success(Part) } },
    // The exact length is checked per part; this only lifts the limit meant for JSON.
    bodyLimit: Number.MAX_SAFE_INTEGER
  }, async (request, reply) => {
    const { uploadId, partNumber } = request.params
    const part = await uploads.receivePart(uploadId, principalOf(request).ownerId, partNumber, {
      lengthBytes: contentLength(request),
      source: readBody(request)
    })
    return reply.header('etag', `"${part.sha256}"`).send(ok({ partNumber, size: part.sizeBytes, sha256: part.sha256 }))
  })
}
