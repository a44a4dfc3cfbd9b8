/** Every mount on one page. */
import type { FastifyPluginAsync } from 'fastify'
import type { Access } from '../service/access.js'
import type { Administration } from '../service/administration.js'
import type { Health } from '../service/health.js'
import type { Idempotency } from '../service/idempotency.js'
import type { Owners } from '../service/owners.js'
import type { Plans } from '../service/plans.js'
import type { Removal } from '../service/removal.js'
import type { Retries } from '../service/retries.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Uploads } from '../service/uploads.js'
import type { Usage } from '../service/usage.js'
import { adminRoutes } from './admin/index.js'
import { healthRoutes } from './health.js'
import { jobRoutes } from './jobs.js'
import { requireOperations } from './operation.js'
import { requireCredential, requireRights } from './plugins/auth.js'
import { answerOnce } from './plugins/idempotency.js'
import { meterRequests } from './plugins/metering.js'
import { collectOperations, serveDocument } from './plugins/openapi.js'
import { requireSession } from './plugins/session.js'
import { transcriptionRoutes } from './transcriptions.js'
import { partRoutes, uploadRoutes } from './uploads.js'
import { usageRoutes } from './usage.js'

export type RouteDeps = {
  access: Access
  administration: Administration
  health: Health
  owners: Owners
  plans: Plans
  idempotency: Idempotency
  removal: Removal
  retries: Retries
  transcripts: Transcripts
  uploads: Uploads
  usage: Usage
  publicUrl: string | undefined
}

export const routes: FastifyPluginAsync<RouteDeps> = async (app, deps) => {
  const { access, administration, health, idempotency, owners, plans, removal, retries, transcripts, uploads, usage, publicUrl } = deps
  await collectOperations(app, publicUrl)
  await serveDocument(app)
  await app.register(async (operations) => {
    requireOperations(operations)
    requireCredential(operations, access)
    meterRequests(operations, usage)
    requireRights(operations)
    await requireSession(operations, administration)
    answerOnce(operations, idempotency)
    await operations.register(healthRoutes, { health })
    await operations.register(async (api) => {
      await api.register(uploadRoutes, { uploads, transcripts, usage, publicUrl })
      await api.register(partRoutes, { uploads })
      await api.register(usageRoutes, { usage })
      await api.register(adminRoutes, { access, administration, owners, plans, publicUrl, prefix: '/admin' })
      await api.register(jobRoutes, { transcripts, retries, usage })
      await api.register(transcriptionRoutes, { transcripts, removal })
    }, { prefix: '/api/v1' })
  })
}
