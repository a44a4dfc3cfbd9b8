/**
 * Numbers for monitoring. Off unless a token is configured: a proxy on this machine would publish an address that is open to local
 * programs.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createHash, timingSafeEqual } from 'node:crypto'
import Type from 'typebox'
import { AppError } from '../domain/errors.js'
import { operation } from './contract/operation.js'
import type { Exposition } from './plugins/metrics.js'

/** `token`: the token that a reader must send. */
export type Monitoring = { token: string, exposition: Exposition }

const CHALLENGE = { 'www-authenticate': 'Bearer realm="stenobox metrics"' }
const EXAMPLE = '# HELP stenobox_jobs Jobs in progress by state\n# TYPE stenobox_jobs gauge\nstenobox_jobs{state="queued"} 3\n'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
/** Compares digests, so that the time says nothing about the token. */
const isToken = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token))

export const metricsRoutes: FastifyPluginAsyncTypebox<{ monitoring: Monitoring | undefined }> = async (app, { monitoring }) => {
  app.get('/metrics', operation({
    operationId: 'getMetrics',
    tag: 'Health',
    summary: 'Get numbers for monitoring',
    description: 'In the text format of Prometheus. Needs `Authorization: Bearer` with the token in STENOBOX_METRICS_TOKEN; API keys are ' +
      'not accepted. Without that setting, there is nothing here.',
    caller: 'public',
    replies: {},
    files: { 'text/plain': Type.String({ examples: [EXAMPLE] }) },
    errors: ['unauthorized', 'not_found']
  }), async ({ headers: { authorization = '' } }, reply) => {
    if (!monitoring) throw new AppError('not_found', 'Metrics are off: STENOBOX_METRICS_TOKEN is not set.')
    const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
    if (!isToken(given, monitoring.token)) {
      throw new AppError('unauthorized', 'Send the token in STENOBOX_METRICS_TOKEN: Authorization: Bearer …', { headers: CHALLENGE })
    }
    const text = await monitoring.exposition.render()
    return await reply.header('cache-control', 'no-store').type(monitoring.exposition.contentType).send(text)
  })
}
