/** The audit log, newest first. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { ACTOR_TYPES } from '../../domain/audit.js'
import type { AuditActor } from '../../domain/audit.js'
import { parseCursor, toCursor } from '../../domain/cursor.js'
import type { Audit } from '../../service/audit.js'
import { operation } from '../contract/operation.js'
import { pageQuery } from '../contract/paging.js'
import { ok, Success } from '../contract/schemas.js'

const DEFAULT_EVENTS = 50
const Count = (description: string) => Type.Optional(Type.Integer({ description }))

type FieldOf<Actor> = Actor extends unknown ? Exclude<keyof Actor, 'type'> : never
/** Every field that some actor has: a reply leaves out what is not declared. */
const ACTOR_FIELDS = {
  keyId: Type.Optional(Type.Integer()),
  ownerId: Type.Optional(Type.Integer()),
  session: Type.Optional(Type.String({ description: 'of the administrator who logged in with the configured password' })),
  sessionId: Type.Optional(Type.Integer({ description: 'of a person who is signed in on the page' })),
  uid: Type.Optional(Type.Integer({ description: 'user of the machine' }))
} satisfies Record<FieldOf<AuditActor>, Type.TSchema>

const Event = Type.Object({
  time: Type.String({ format: 'date-time' }),
  actor: Type.Object({ type: Type.Enum(ACTOR_TYPES), ...ACTOR_FIELDS }),
  operation: Type.String({ description: 'operationId of the HTTP interface, or a command' }),
  target: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String()]), { description: 'ids by name' })),
  requestId: Type.Optional(Type.String()),
  address: Type.Optional(Type.String({ description: 'of the client' })),
  status: Count('HTTP status'),
  outcome: Type.Optional(Type.Enum(['begun', 'done', 'failed'], { description: 'of commands' })),
  leftOut: Count('requests without a valid credential that were not recorded before this event'),
  lost: Count('events that could not be written before this one')
}, { title: 'AuditEvent' })

const AuditPage = Type.Object({
  isOn: Type.Boolean({ description: 'false: STENOBOX_AUDIT_LOG is not set, and nothing is recorded' }),
  events: Type.Array(Event),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'the cursor of the next page; null on the last one' })
}, {
  title: 'AuditPage',
  description: 'The events, newest first.',
  examples: [{
    isOn: true,
    events: [{
      time: '2026-11-21T09:30:00.000Z', actor: { type: 'administrator', session: '9f1c02ab' }, operation: 'createOwner',
      target: { id: 3 }, requestId: '7d3c4f5e-0d4b-4c1e-9a55-0f6b2f1d8e21', address: '192.0.2.7', status: 201
    }],
    nextCursor: null
  }]
})

export const auditRoutes: FastifyPluginAsyncTypebox<{ audit: Pick<Audit, 'isOn' | 'list'> }> = async (app, { audit }) => {
  app.get('/audit', operation({
    operationId: 'listAuditEvents',
    tag: 'Administration',
    summary: 'Read the audit log',
    description: 'Only the present file: what was rotated away is not listed.',
    caller: 'administrator',
    querystring: Type.Object(pageQuery(DEFAULT_EVENTS)),
    replies: { 200: Success(AuditPage) },
    errors: ['gone']
  }), async (request) => {
    const { limit = DEFAULT_EVENTS, cursor } = request.query
    const { events, next } = audit.list({ before: cursor === undefined ? undefined : parseCursor(cursor), limit })
    // Read from JSON, so no field is undefined.
    return ok({ isOn: audit.isOn, events: events as Array<Static<typeof Event>>, nextCursor: next === undefined ? null : toCursor(next) })
  })
}
