/** Administration: sessions, owners, API keys, plans; the state of the appliance and the work of all owners. */
import type { FastifyPluginAsync } from 'fastify'
import type { Keys } from '../../service/keys.js'
import type { Administration } from '../../service/administration.js'
import type { Audit } from '../../service/audit.js'
import type { ModelAdvice } from '../../service/model-advice.js'
import type { ModelTasks } from '../../service/model-tasks.js'
import type { Overview } from '../../service/overview.js'
import type { Owners } from '../../service/owners.js'
import type { Plans } from '../../service/plans.js'
import type { Retries } from '../../service/retries.js'
import type { System } from '../../service/system.js'
import { refuseCrossSite } from '../plugins/cross-site.js'
import { apiKeyRoutes } from './api-keys.js'
import { auditRoutes } from './audit.js'
import { modelArchiveRoutes, modelRoutes } from './models.js'
import { ownerRoutes } from './owners.js'
import { planRoutes } from './plans.js'
import { queueRoutes } from './queue.js'
import { retentionRoutes } from './retention.js'
import { sessionRoutes } from './session.js'
import { systemRoutes } from './system.js'

export type AdminDeps = {
  keys: Keys
  administration: Administration
  audit: Audit
  modelTasks: ModelTasks
  adviseModels: ModelAdvice
  overview: Overview
  owners: Owners
  plans: Plans
  retries: Retries
  system: System
  publicUrl: string | undefined
}

export const adminRoutes: FastifyPluginAsync<AdminDeps> = async (app, deps) => {
  const { keys, administration, adviseModels, audit, modelTasks, overview, owners, plans, publicUrl, retries, system } = deps
  refuseCrossSite(app, publicUrl, 'all')
  app.addHook('onRequest', async (_request, reply) => { reply.header('cache-control', 'no-store') })
  await app.register(sessionRoutes, { administration, publicUrl })
  await app.register(ownerRoutes, { owners })
  await app.register(retentionRoutes, { owners })
  await app.register(apiKeyRoutes, { keys })
  await app.register(planRoutes, { plans })
  await app.register(queueRoutes, { overview, retries })
  await app.register(auditRoutes, { audit })
  await app.register(systemRoutes, { system })
  await app.register(modelRoutes, { modelTasks, adviseModels })
  await app.register(modelArchiveRoutes, { modelTasks })
}
