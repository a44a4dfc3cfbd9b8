/** Every mount on one page. */
import type { FastifyPluginAsync } from 'fastify'
import type { Access } from '../service/access.js'
import type { Health } from '../service/health.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Uploads } from '../service/uploads.js'
import type { Usage } from '../service/usage.js'
import { healthRoutes } from './health.js'
import { jobRoutes } from './jobs.js'
import { requireOperations } from './operation.js'
import { requireCredential, requireRights } from './plugins/auth.js'
import { meterRequests } from './plugins/metering.js'
import { collectOperations, serveDocument } from './plugins/openapi.js'
import { transcriptionRoutes } from './transcriptions.js'
import { partRoutes, uploadRoutes } from './uploads.js'
import { usageRoutes } from './usage.js'

export type RouteDeps = {
  access: Access
  health: Health
  transcripts: Transcripts
  uploads: Uploads
  usage: Usage
  publicUrl: string | undefined
}

export const routes: FastifyPluginAsync<RouteDeps> = async (app, { access, health, transcripts, uploads, usage, publicUrl }) => {
  await collectOperations(app, publicUrl)
  await serveDocument(app)
  await app.register(async (operations) => {
    requireOperations(operations)
    requireCredential(operations, access)
    meterRequests(operations, usage)
    requireRights(operations)
    await operations.register(healthRoutes, { health })
    await operations.register(async (api) => {
      await api.register(uploadRoutes, { uploads, transcripts, usage, publicUrl })
      await api.register(partRoutes, { uploads })
      await api.register(jobRoutes, { transcripts })
      await api.register(transcriptionRoutes, { transcripts })
      await api.register(usageRoutes, { usage })
    }, { prefix: '/api/v1' })
  })
}
