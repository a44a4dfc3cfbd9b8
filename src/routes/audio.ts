/** Recordings for players: the file or its sound, in parts, and how loud it is. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { MEDIA_TYPES } from '../domain/media-type.js'
import { MAX_PEAKS } from '../domain/peaks.js'
import { toSeconds } from '../domain/transcript.js'
import type { Playback } from '../service/playback.js'
import type { RecordingPeaks } from '../service/peaks.js'
import { operation } from './contract/operation.js'
import { IdParams, ok, Success } from './contract/schemas.js'
import { principalOf } from './plugins/auth.js'
import { sendRecording } from './recording-reply.js'

const AudioQuery = Type.Object({
  as: Type.Optional(Type.Enum(['wav'], { description: 'the sound as WAV (16 kHz, mono, 16 bit), which every browser plays' }))
})

const Peaks = Type.Object({
  perSecond: Type.Number({ description: 'values for each second of the recording; the last one may be of a shorter time' }),
  durationSeconds: Type.Number(),
  peaks: Type.String({
    description: `base64 of bytes from 0 to 127, the largest amplitude of each stretch; at most ${MAX_PEAKS} of them`
  })
}, {
  title: 'Peaks', description: 'How loud the recording is.', examples: [{ perSecond: 50, durationSeconds: 0.06, peaks: 'AEB/' }]
})

type Deps = { playback: Playback, peaks: RecordingPeaks }

export const audioRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { playback, peaks }) => {
  app.get('/transcriptions/:id/audio', operation({
    operationId: 'getAudio',
    tag: 'Transcriptions',
    summary: 'Get the recording, or a part of it',
    description: 'The stored file with its content type, or its sound as WAV, made while it is sent. Both take Range, If-Range and ' +
      'If-None-Match. When a caller has more players open than fit, the oldest stream ends.',
    caller: 'transcripts:read',
    params: IdParams,
    querystring: AudioQuery,
    replies: {},
    files: Object.fromEntries(MEDIA_TYPES.map((type) => [type, Type.String({ format: 'binary' })])),
    hasParts: true,
    errors: ['not_found', 'not_completed', 'gone', 'range_not_satisfiable']
  }), async (request, reply) => {
    const { ownerId } = principalOf(request)
    const { id } = request.params
    return await sendRecording(request, reply, request.query.as === 'wav' ? playback.wav(id, ownerId) : await playback.file(id, ownerId))
  })

  app.get('/transcriptions/:id/peaks', operation({
    operationId: 'getPeaks',
    tag: 'Transcriptions',
    summary: 'Get how loud the recording is, to draw it',
    description: 'Measured while the recording is decoded. For a recording of an earlier version, the first request measures it.',
    caller: 'transcripts:read',
    params: IdParams,
    replies: { 200: Success(Peaks) },
    errors: ['not_found', 'not_completed', 'gone']
  }), async (request) => {
    const { perSecond, durationMs, amplitudes } = await peaks.read(request.params.id, principalOf(request).ownerId)
    return ok({ perSecond, durationSeconds: toSeconds(durationMs), peaks: Buffer.from(amplitudes).toString('base64') })
  })
}
