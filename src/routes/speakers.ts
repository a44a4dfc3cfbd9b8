/** The speakers of transcriptions: who they are, their names, and another attempt to identify them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { MAX_SPEAKER_NAME_LENGTH } from '../domain/speaker-names.js'
import { MAX_SPEAKERS, SpeakersOption } from '../domain/speaker-options.js'
import { toSeconds } from '../domain/transcript.js'
import { explainSpeakersFailure } from '../domain/warnings.js'
import type { Speakers, SpeakersView } from '../service/speakers.js'
import { operation } from './contract/operation.js'
import { Failure, IdParams, ok, Success } from './contract/schemas.js'
import { principalOf } from './plugins/auth.js'

const Label = Type.String({ minLength: 1, maxLength: 32, description: 'such as "Speaker 1"; does not change when a name is given' })
/** More changes than a recording can have speakers make no sense; an uncounted recording may have more than anybody expects. */
const MAX_CHANGES = 10 * MAX_SPEAKERS

const SpeakerState = Type.Object({
  status: Type.Enum(['none', 'pending', 'done', 'failed'], {
    description: 'none: speakers were not wanted, or the plan did not include them; pending: they are being identified'
  }),
  failure: Type.Union([Failure, Type.Null()], { description: 'why speakers could not be identified; null unless failed' }),
  speakers: Type.Array(Type.Object({
    label: Label,
    name: Type.Optional(Type.String({ description: 'only if a person has given one' })),
    talkSeconds: Type.Number({ minimum: 0, description: 'how long this speaker talks, by the words' })
  }, { title: 'Speaker' }), { description: 'in the order of their first words' })
}, {
  title: 'Speakers',
  description: 'The speakers of the transcription.',
  examples: [{
    status: 'done', failure: null,
    speakers: [{ label: 'Speaker 1', name: 'Ada', talkSeconds: 61.2 }, { label: 'Speaker 2', talkSeconds: 18.04 }]
  }]
})

const ChangeBody = Type.Object({
  speakers: Type.Optional(Type.Array(Type.Object({
    label: Label,
    name: Type.String({ maxLength: MAX_SPEAKER_NAME_LENGTH, description: 'an empty name removes the name given before' })
  }, { additionalProperties: false }), { maxItems: MAX_CHANGES, description: 'names to give' })),
  merge: Type.Optional(Type.Array(Type.Object({ from: Label, into: Label }, { additionalProperties: false }), {
    maxItems: MAX_CHANGES, description: 'speakers that are one person; applied before names'
  }))
}, {
  title: 'SpeakersChange', additionalProperties: false,
  examples: [{ speakers: [{ label: 'Speaker 1', name: 'Ada' }], merge: [{ from: 'Speaker 3', into: 'Speaker 1' }] }]
})

const IdentifyBody = Type.Object({ speakers: SpeakersOption }, {
  title: 'SpeakersRequest', additionalProperties: false, examples: [{ speakers: { exact: 2 } }]
})

function toState ({ status, failure, speakers }: SpeakersView): Static<typeof SpeakerState> {
  return {
    status,
    failure: failure === undefined ? null : { code: failure, message: explainSpeakersFailure(failure) },
    speakers: speakers.map(({ label, name, talkMs }) =>
      ({ label, ...(name === undefined ? {} : { name }), talkSeconds: toSeconds(talkMs) }))
  }
}

export const speakerRoutes: FastifyPluginAsyncTypebox<{ speakers: Speakers }> = async (app, { speakers }) => {
  app.get('/transcriptions/:id/speakers', operation({
    operationId: 'listSpeakers',
    tag: 'Transcriptions',
    summary: 'List the speakers of a transcription',
    caller: 'transcripts:read',
    params: IdParams,
    replies: { 200: Success(SpeakerState) },
    errors: ['not_found', 'not_completed', 'not_in_plan']
  }), async (request) => ok(toState(speakers.list(request.params.id, principalOf(request)))))

  app.patch('/transcriptions/:id/speakers', operation({
    operationId: 'changeSpeakers',
    tag: 'Transcriptions',
    summary: 'Name and merge speakers',
    description: 'Exports in json and md show names instead of labels at once. Two speakers cannot have the same name: merge them. ' +
      'Either all changes are made or none.',
    caller: 'transcripts:write',
    params: IdParams,
    body: ChangeBody,
    replies: { 200: Success(SpeakerState) },
    errors: ['not_found', 'not_completed', 'not_in_plan', 'conflict']
  }), async (request) => ok(toState(speakers.change(request.params.id, principalOf(request), request.body))))

  app.post('/transcriptions/:id/speakers', operation({
    operationId: 'identifySpeakers',
    tag: 'Transcriptions',
    summary: 'Identify speakers again',
    description: 'For a completed transcription whose recording is still stored. The text does not change. New labels replace the old ' +
      'when they are known. A name stays with a speaker who says mostly the same words as before; merges are removed.',
    caller: 'transcripts:write',
    idempotent: true,
    params: IdParams,
    body: IdentifyBody,
    replies: { 202: Success(SpeakerState) },
    errors: ['not_found', 'not_completed', 'not_in_plan', 'conflict', 'gone', 'queue_full']
  }), async (request, reply) => {
    const view = await speakers.identify(request.params.id, principalOf(request), request.body.speakers)
    return reply.code(202).send(ok(toState(view)))
  })
}
