/** How long recordings and transcripts are retained, as their owner sets it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { MAX_DAYS } from '../domain/access.js'
import type { Retention as RetentionService, RetentionView } from '../service/retention.js'
import { operation } from './contract/operation.js'
import { ok, Success } from './contract/schemas.js'
import { principalOf } from './plugins/auth.js'

const days = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_DAYS, description: `${description}; 0: never` })
const ownDays = (what: string) => Type.Union([Type.Integer({ minimum: 1, maximum: MAX_DAYS }), Type.Null()], {
  description: `days after which ${what} by your own wish; null: as the administrator has set`
})
const OWN = {
  recordingDays: ownDays('recordings are deleted'), transcriptDays: ownDays('transcriptions are deleted with their recordings')
}

const OwnRetention = Type.Object({
  recordingDays: days('days after which recordings are deleted'),
  transcriptDays: days('days after which transcriptions are deleted with their recordings'),
  own: Type.Object(OWN),
  allowed: Type.Object({
    recordingDays: days('the most that the administrator allows'), transcriptDays: days('the most that the administrator allows')
  }),
  keepsRecordings: Type.Boolean({ description: 'false: recordings are deleted when their transcript is complete' })
}, {
  title: 'OwnRetention',
  description: 'What applies, and why.',
  examples: [{
    recordingDays: 7, transcriptDays: 0, own: { recordingDays: 7, transcriptDays: null },
    allowed: { recordingDays: 30, transcriptDays: 0 }, keepsRecordings: true
  }]
})
const ChangeBody = Type.Partial(Type.Object(OWN), {
  title: 'OwnRetentionChange', additionalProperties: false, minProperties: 1, examples: [{ recordingDays: 7 }]
})

function toReply ({ ages, own, allowed, keepsMedia }: RetentionView): Static<typeof OwnRetention> {
  return {
    recordingDays: ages.mediaDays,
    transcriptDays: ages.transcriptDays,
    own: { recordingDays: own.mediaDays, transcriptDays: own.transcriptDays },
    allowed: { recordingDays: allowed.mediaDays, transcriptDays: allowed.transcriptDays },
    keepsRecordings: keepsMedia
  }
}

type Deps = { retention: Pick<RetentionService, 'read' | 'changeOwn'> }

export const ownRetentionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { retention }) => {
  app.get('/retention', operation({
    operationId: 'getRetention',
    tag: 'Retention',
    summary: 'Get how long recordings and transcripts are retained',
    caller: 'api_key',
    replies: { 200: Success(OwnRetention) }
  }), async (request) => ok(toReply(retention.read(principalOf(request).ownerId))))

  app.patch('/retention', operation({
    operationId: 'changeRetention',
    tag: 'Retention',
    summary: 'Shorten how long recordings and transcripts are retained',
    description: 'At most what the administrator allows. What is too old already is deleted within an hour, and cannot be brought back.',
    caller: 'api_key',
    body: ChangeBody,
    replies: { 200: Success(OwnRetention) }
  }), async (request) => {
    const { recordingDays, transcriptDays } = request.body
    return ok(toReply(retention.changeOwn(principalOf(request).ownerId, {
      ...(recordingDays === undefined ? {} : { mediaDays: recordingDays }), ...(transcriptDays === undefined ? {} : { transcriptDays })
    })))
  })
}
