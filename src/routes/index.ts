/** Every mount on one page. */
import type { FastifyPluginAsync } from 'fastify'
import type { Access } from '../service/access.js'
import type { Health } from '../service/health.js'
import type { Transcripts } from '../service/transcripts.js'
import type { Uploads } from '../service/uploads.js'
import { healthRoutes } from './health.js'
import { jobRoutes } from './jobs.js'
import { requireOperations } from './operation.js'
import { requireCredential } from './plugins/auth.js'
import { collectOperations, serveDocument } from './plugins/openapi.js'
import { transcriptionRoutes } from './transcriptions.js'
import { partRoutes, uploadRoutes } from './uploads.js'

export type RouteDeps = {
  access: Access
  health: Health
  transcripts: Transcripts
  uploads: Uploads
  publicUrl: string | undefined
}

export const routes: FastifyPluginAsync<RouteDeps> = async (app, { access, health, transcripts, uploads, publicUrl }) => {
  await collectOperations(app, publicUrl)
  await serveDocument(app)
  await app.register(async (operations) => {
    requireOperations(operations)
    requireCredential(operations, access)
    await operations.register(healthRoutes, { health })
    await operations.register(async (api) => {
      await api.register(uploadRoutes, { uploads, transcripts, publicUrl })
      await api.register(partRoutes, { uploads })
      await api.register(jobRoutes, { transcripts })
      await api.register(transcriptionRoutes, { transcripts })
    }, { prefix: '/api/v1' })
  })
}
