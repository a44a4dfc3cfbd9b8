/** How long recordings and transcripts of an owner are retained. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { MAX_DAYS } from '../../domain/access.js'
import type { Owner } from '../../domain/access.js'
import type { Owners } from '../../service/owners.js'
import { operation } from '../contract/operation.js'
import { audit } from '../plugins/session.js'
import { IdParams, ok, Success } from '../contract/schemas.js'

const days = (what: string) => Type.Union([Type.Integer({ minimum: 0, maximum: MAX_DAYS }), Type.Null()], {
  description: `days after which ${what}; 0: never; null: as configured for the appliance`
})
const FIELDS = { recordingDays: days('recordings are deleted'), transcriptDays: days('transcriptions are deleted with their recordings') }
const EXAMPLE = { recordingDays: 30, transcriptDays: null }

const Retention = Type.Object(FIELDS, { title: 'Retention', description: 'The ages of this owner.', examples: [EXAMPLE] })
const ChangeBody = Type.Partial(Type.Object(FIELDS), {
  title: 'RetentionChange', additionalProperties: false, minProperties: 1, examples: [EXAMPLE]
})

const toRetention = ({ mediaDays, transcriptDays }: Owner): Static<typeof Retention> =>
  ({ recordingDays: mediaDays ?? null, transcriptDays: transcriptDays ?? null })

export const retentionRoutes: FastifyPluginAsyncTypebox<{ owners: Owners }> = async (app, { owners }) => {
  app.get('/owners/:id/retention', operation({
    operationId: 'getOwnerRetention',
    tag: 'Administration',
    summary: 'Get how long recordings and transcripts of an owner are retained',
    caller: 'administrator',
    params: IdParams,
    replies: { 200: Success(Retention) },
    errors: ['not_found']
  }), async (request) => ok(toRetention(owners.find(request.params.id))))

  app.patch('/owners/:id/retention', operation({
    operationId: 'changeOwnerRetention',
    tag: 'Administration',
    summary: 'Change how long recordings and transcripts of an owner are retained',
    description: 'What is too old already is deleted within an hour, and cannot be brought back.',
    caller: 'administrator',
    params: IdParams,
    body: ChangeBody,
    replies: { 200: Success(Retention) },
    errors: ['not_found']
  }), async (request) => {
    const { params: { id }, body: { recordingDays: mediaDays, transcriptDays } } = request
    const owner = owners.changeRetention(id, { mediaDays, transcriptDays })
    audit(request, { ownerId: id })
    return ok(toRetention(owner))
  })
}
