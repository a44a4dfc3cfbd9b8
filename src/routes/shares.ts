/** Links with which anybody can read one transcription: made by its owner, and followed by everybody. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import Type from 'typebox'
import type { Static } from 'typebox'
import { MEDIA_TYPES } from '../domain/media-type.js'
import { MAX_SHARE_DAYS } from '../domain/share.js'
import type { Share as StoredShare } from '../domain/share.js'
import { Segment, toSeconds } from '../domain/transcript.js'
import type { SharedTranscript, Shares } from '../service/shares.js'
import { baseUrlOf } from './contract/base-url.js'
import { operation } from './contract/operation.js'
import { Id, IdParams, ok, Success, toIsoTime } from './contract/schemas.js'
import { pageSessionOf } from './plugins/page-session.js'
import { inPieces } from './plugins/turns.js'
import { sendRecording } from './recording-reply.js'

const EXAMPLE = { id: 5, createdAt: '2026-11-21T09:00:00.000Z', expiresAt: '2026-12-21T09:00:00.000Z' }

const Share = Type.Object({
  id: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' })
}, { title: 'Share', description: 'The link.', examples: [EXAMPLE] })
const ShareList = Type.Array(Share, { description: 'The links that have not expired, oldest first.', examples: [[EXAMPLE]] })

const CreatedShare = Type.Object({
  ...Share.properties,
  url: Type.String({ format: 'uri', description: 'the link itself, shown only once' })
}, {
  title: 'CreatedShare', description: 'The new link.',
  examples: [{ ...EXAMPLE, url: 'https://steno.example.org/shared/2bD1mM0Zr0wq5k3sY9o7VhXcTtq8uJ4nE6aLfPiGx3Q' }]
})

const CreateBody = Type.Object({
  expiresInDays: Type.Integer({ minimum: 1, maximum: MAX_SHARE_DAYS })
}, { title: 'NewShare', additionalProperties: false, examples: [{ expiresInDays: 30 }] })

const Removed = Type.Object({ id: Type.Integer() }, { description: 'The link has ended.', examples: [{ id: 5 }] })
const ShareParams = Type.Object({ id: Id, shareId: Id })
const TokenParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }) })

const Shared = Type.Object({
  title: Type.String(),
  language: Type.Optional(Type.String({ description: 'ISO 639-1 code; absent if there is no speech' })),
  durationSeconds: Type.Number(),
  expiresAt: Type.String({ format: 'date-time', description: 'when the link ends' }),
  segments: Type.Array(Segment, { description: 'as in the json export' })
}, {
  title: 'SharedTranscript', description: 'The transcript.',
  examples: [{
    title: 'meeting.mp3', language: 'en', durationSeconds: 2.7, expiresAt: EXAMPLE.expiresAt,
    segments: [{ id: 0, start: 0.3, end: 0.9, text: ' The', words: [{ word: ' The', start: 0.3, end: 0.9, probability: 0.98 }] }]
  }]
})

const toShare = ({ id, createdAt, expiresAt }: StoredShare): Static<typeof Share> =>
  ({ id, createdAt: toIsoTime(createdAt), expiresAt: toIsoTime(expiresAt) })

/** The reply, segment by segment: a recording of a day has a hundred thousand words. */
function * renderShared ({ title, language, durationMs, expiresAt, segments }: SharedTranscript): Generator<string> {
  const known = language === undefined ? {} : { language }
  const head = { title, ...known, durationSeconds: toSeconds(durationMs), expiresAt: toIsoTime(expiresAt) }
  yield `{"success":true,"data":${JSON.stringify(head).slice(0, -1)},"segments":`
  yield * segments
  yield '}}'
}

/** What search engines and the next site must not learn. */
const UNLISTED = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' }

type Deps = { shares: Shares, publicUrl: string | undefined }

export const shareRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { shares, publicUrl }) => {
  app.post('/transcriptions/:id/shares', operation({
    operationId: 'createShare',
    tag: 'Sharing',
    summary: 'Make a link with which anybody can read a transcription',
    caller: 'session',
    idempotent: true,
    params: IdParams,
    body: CreateBody,
    replies: { 201: Success(CreatedShare) },
    errors: ['not_found', 'not_completed', 'conflict', 'sharing_off']
  }), async (request, reply) => {
    const { share, token } = shares.create(request.params.id, pageSessionOf(request).ownerId, request.body.expiresInDays)
    return reply.code(201).send(ok({ ...toShare(share), url: `${baseUrlOf(request, publicUrl)}/shared/${token}` }))
  })

  app.get('/transcriptions/:id/shares', operation({
    operationId: 'listShares',
    tag: 'Sharing',
    summary: 'List the links of a transcription',
    caller: 'session',
    params: IdParams,
    replies: { 200: Success(ShareList) },
    errors: ['not_found', 'sharing_off']
  }), async (request) => ok(shares.list(request.params.id, pageSessionOf(request).ownerId).map(toShare)))

  app.delete('/transcriptions/:id/shares/:shareId', operation({
    operationId: 'removeShare',
    tag: 'Sharing',
    summary: 'End a link',
    caller: 'session',
    params: ShareParams,
    replies: { 200: Success(Removed) },
    errors: ['not_found', 'sharing_off']
  }), async (request) => {
    const { id, shareId } = request.params
    shares.remove(shareId, id, pageSessionOf(request).ownerId)
    return ok({ id: shareId })
  })

  app.get('/shared/:token', operation({
    operationId: 'getShared',
    tag: 'Sharing',
    summary: 'Read a shared transcription',
    caller: 'public',
    params: TokenParams,
    replies: {},
    files: { 'application/json': Success(Shared) },
    errors: ['not_found', 'not_completed', 'gone', 'sharing_off']
  }), async (request, reply) => {
    const shared = shares.read(request.params.token)
    const takeTurn = async (): Promise<void> => { await request.takeTurnOf(shared.ownerId) }
    return reply.headers(UNLISTED).type('application/json; charset=utf-8')
      .send(Readable.from(inPieces(renderShared(shared), takeTurn)))
  })

  app.get('/shared/:token/audio', operation({
    operationId: 'getSharedAudio',
    tag: 'Sharing',
    summary: 'Get the recording of a shared transcription, or a part of it',
    caller: 'public',
    params: TokenParams,
    replies: {},
    files: Object.fromEntries(MEDIA_TYPES.map((type) => [type, Type.String({ format: 'binary' })])),
    hasParts: true,
    errors: ['not_found', 'not_completed', 'gone', 'range_not_satisfiable', 'sharing_off']
  }), async (request, reply) => await sendRecording(request, reply.headers(UNLISTED), await shares.listen(request.params.token)))
}
