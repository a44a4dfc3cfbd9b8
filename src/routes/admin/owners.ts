/** Owners. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { PASSWORD_LENGTH, PLANS, ROLES } from '../../domain/access.js'
import type { Owner as StoredOwner } from '../../domain/access.js'
import type { Owners } from '../../service/owners.js'
import { operation } from '../contract/operation.js'
import { PAGE_QUERY, PageOf, readPage } from '../contract/paging.js'
import { audit } from '../plugins/session.js'
import { IdParams, Name, ok, Success, Terms, toIsoTime } from '../contract/schemas.js'

const Plan = Type.Enum(PLANS, { description: 'plan of OAuth tokens, and the default for new keys' })

const Role = Type.Enum(ROLES, { description: 'administrator: may administer the appliance on the page' })

const Owner = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  plan: Plan,
  role: Role,
  hasPassword: Type.Boolean({ description: 'whether the owner can sign in on the page, and grant access to OAuth clients' }),
  terms: Terms,
  createdAt: Type.String({ format: 'date-time' })
}, {
  title: 'Owner', description: 'The owner.',
  examples: [{
    id: 3, name: 'anna', plan: 'enterprise', role: 'owner', hasPassword: true, terms: ['Dashwood'], createdAt: '2026-11-21T09:00:00.000Z'
  }]
})

const CreateBody = Type.Object({ name: Name, plan: Type.Optional(Plan) }, {
  title: 'NewOwner', additionalProperties: false, examples: [{ name: 'anna', plan: 'pro' }]
})
const ChangeBody = Type.Object({
  name: Type.Optional(Name), plan: Type.Optional(Plan), role: Type.Optional(Role), terms: Type.Optional(Terms)
}, {
  title: 'OwnerChange', additionalProperties: false, minProperties: 1, examples: [{ plan: 'enterprise', terms: ['Dashwood'] }]
})
const PasswordBody = Type.Object({
  password: Type.Union([Type.String({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max }), Type.Null()], {
    description: 'null: the owner cannot log in'
  })
}, { title: 'OwnerPassword', additionalProperties: false, examples: [{ password: 'correct horse battery staple' }] })
const Removed = Type.Object({ id: Type.Integer() }, { description: 'The owner was deleted.', examples: [{ id: 3 }] })

function toOwner ({ createdAt, ...owner }: StoredOwner): Static<typeof Owner> {
  return { ...owner, createdAt: toIsoTime(createdAt) }
}

export const ownerRoutes: FastifyPluginAsyncTypebox<{ owners: Owners }> = async (app, { owners }) => {
  app.get('/owners', operation({
    operationId: 'listOwners',
    tag: 'Administration',
    summary: 'List owners',
    caller: 'administrator',
    querystring: Type.Object(PAGE_QUERY),
    replies: { 200: PageOf('OwnerPage', Owner, 'The owners, oldest first.') }
  }), async (request) => readPage(request.query, (page) => owners.list(page).map(toOwner)))

  app.post('/owners', operation({
    operationId: 'createOwner',
    tag: 'Administration',
    summary: 'Create an owner',
    caller: 'administrator',
    idempotent: true,
    body: CreateBody,
    replies: { 201: Success(Owner) },
    errors: ['conflict']
  }), async (request, reply) => {
    const owner = owners.create(request.body)
    audit(request, { ownerId: owner.id })
    return reply.code(201).send(ok(toOwner(owner)))
  })

  app.get('/owners/:id', operation({
    operationId: 'getOwner',
    tag: 'Administration',
    summary: 'Get an owner',
    caller: 'administrator',
    params: IdParams,
    replies: { 200: Success(Owner) },
    errors: ['not_found']
  }), async (request) => ok(toOwner(owners.find(request.params.id))))

  app.patch('/owners/:id', operation({
    operationId: 'changeOwner',
    tag: 'Administration',
    summary: 'Change the name, plan, role or terms of an owner',
    description: 'Existing keys keep their plan, and existing jobs keep their terms. The last administrator who can sign in stays one.',
    caller: 'administrator',
    params: IdParams,
    body: ChangeBody,
    replies: { 200: Success(Owner) },
    errors: ['not_found', 'conflict']
  }), async (request) => {
    const owner = owners.change(request.params.id, request.body)
    audit(request, { ownerId: owner.id })
    return ok(toOwner(owner))
  })

  app.put('/owners/:id/password', operation({
    operationId: 'setOwnerPassword',
    tag: 'Administration',
    summary: 'Set the password of an owner',
    description: 'The owner signs in with it on the page, and to grant access to OAuth clients. Sessions of the owner end.',
    caller: 'administrator',
    params: IdParams,
    body: PasswordBody,
    replies: { 200: Success(Owner) },
    errors: ['not_found', 'conflict']
  }), async (request) => {
    await owners.setPassword(request.params.id, request.body.password, request.adminSession ? undefined : request.pageSession)
    audit(request, { ownerId: request.params.id })
    return ok(toOwner(owners.find(request.params.id)))
  })

  app.delete('/owners/:id', operation({
    operationId: 'removeOwner',
    tag: 'Administration',
    summary: 'Delete an owner who has no transcripts and no live keys',
    caller: 'administrator',
    params: IdParams,
    replies: { 200: Success(Removed) },
    errors: ['not_found', 'conflict']
  }), async (request) => {
    owners.remove(request.params.id)
    audit(request, { ownerId: request.params.id })
    return ok({ id: request.params.id })
  })
}
