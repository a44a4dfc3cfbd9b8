/** Vocabulary: the names and terms of an owner. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Owners } from '../service/owners.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'
import { ok, Success, Terms } from './contract/schemas.js'

const EXAMPLE = { terms: ['Dashwood', 'Ada Lovelace', 'metformin'] }

const Vocabulary = Type.Object({ terms: Terms }, {
  title: 'Vocabulary', description: 'The names and terms of the owner.', examples: [EXAMPLE]
})
const VocabularyBody = Type.Object({ terms: Terms }, { title: 'VocabularyChange', additionalProperties: false, examples: [EXAMPLE] })

export const vocabularyRoutes: FastifyPluginAsyncTypebox<{ owners: Pick<Owners, 'find' | 'change'> }> = async (app, { owners }) => {
  app.get('/vocabulary', operation({
    operationId: 'getVocabulary',
    tag: 'Vocabulary',
    summary: 'Get the names and terms of the owner',
    caller: 'api_key',
    replies: { 200: Success(Vocabulary) }
  }), async (request) => ok({ terms: owners.find(principalOf(request).ownerId).terms }))

  app.put('/vocabulary', operation({
    operationId: 'setVocabulary',
    tag: 'Vocabulary',
    summary: 'Replace the names and terms of the owner',
    description: 'Replaces the whole list. A job copies the list when it is created, so existing jobs are not affected.',
    caller: 'api_key',
    body: VocabularyBody,
    replies: { 200: Success(Vocabulary) }
  }), async (request) => {
    const { terms } = owners.change(principalOf(request).ownerId, { terms: request.body.terms })
    return ok({ terms })
  })
}
