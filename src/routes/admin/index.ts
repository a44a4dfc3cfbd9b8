/** Administration: sessions, owners, API keys, plans. */
import type { FastifyPluginAsync } from 'fastify'
import type { Keys } from '../../service/keys.js'
import type { Administration } from '../../service/administration.js'
import type { Owners } from '../../service/owners.js'
import type { Plans } from '../../service/plans.js'
import { refuseCrossSite } from '../plugins/cross-site.js'
import { apiKeyRoutes } from './api-keys.js'
import { ownerRoutes } from './owners.js'
import { planRoutes } from './plans.js'
import { retentionRoutes } from './retention.js'
import { sessionRoutes } from './session.js'

export type AdminDeps = {
  keys: Keys
  administration: Administration
  owners: Owners
  plans: Plans
  publicUrl: string | undefined
}

export const adminRoutes: FastifyPluginAsync<AdminDeps> = async (app, { keys, administration, owners, plans, publicUrl }) => {
  refuseCrossSite(app, publicUrl, 'all')
  app.addHook('onRequest', async (_request, reply) => { reply.header('cache-control', 'no-store') })
  await app.register(sessionRoutes, { administration, publicUrl })
  await app.register(ownerRoutes, { owners })
  await app.register(retentionRoutes, { owners })
  await app.register(apiKeyRoutes, { keys })
  await app.register(planRoutes, { plans })
}
