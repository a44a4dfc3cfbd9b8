/** Health checks for load balancers and containers. They need no credential and show no data. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { AppError } from '../domain/errors.js'
import type { Health } from '../service/health.js'
import { operation } from './contract/operation.js'
import { ok, Success } from './contract/schemas.js'

const Status = Success(Type.Object({ status: Type.Literal('ok') }, { description: 'It is ready.', examples: [{ status: 'ok' }] }))

export const healthRoutes: FastifyPluginAsyncTypebox<{ health: Pick<Health, 'whyNotReady'> }> = async (app, { health }) => {
  app.get('/healthz', operation({
    operationId: 'getHealth', tag: 'Health', summary: 'Check whether the process is running', caller: 'public', replies: { 200: Status }
  }), async () => ok({ status: 'ok' as const }))
  app.get('/readyz', operation({
    operationId: 'getReadiness', tag: 'Health', summary: 'Check whether the appliance can accept work', caller: 'public',
    replies: { 200: Status }
  }), async () => {
    const reason = await health.whyNotReady()
    if (reason !== undefined) throw new AppError('unavailable', reason)
    return ok({ status: 'ok' as const })
  })
}
