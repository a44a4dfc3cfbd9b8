/** What a key has used, and what is left. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { toSeconds } from '../domain/transcript.js'
import { MAX_LOGGED_REQUESTS } from '../domain/usage.js'
import type { Usage, UsageView } from '../service/usage.js'
import { operation } from './operation.js'
import { principalOf } from './plugins/auth.js'
import { ok, Success, toIsoTime } from './schemas.js'

const DEFAULT_RECENT = 100

const UsageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LOGGED_REQUESTS, default: DEFAULT_RECENT, description: 'how many of the last requests' }))
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const OrNull = <T extends ReturnType<typeof Type.Integer>>(schema: T) => Type.Union([schema, Type.Null()])
const Time = (description: string) => Type.String({ format: 'date-time', description })

const RecentRequest = Type.Object({
  id: Type.String({ description: 'what an error reply calls requestId' }),
  method: Type.String(),
  path: Type.String({ description: 'the template of the operation, without ids and queries' }),
  status: Type.Integer({ description: '499: the caller hung up before the answer' }),
  durationMs: Count('from its arrival to the end of the answer'),
  at: Time('when it arrived')
}, { title: 'RecentRequest' })

const UsageReply = Type.Object({
  period: Type.Object({ start: Time('the first moment'), end: Time('the first moment after it') }, { description: 'this calendar month (UTC)' }),
  requests: Type.Object({
    total: Count('of this key in the period'),
    today: Count('of this key since midnight UTC'),
    limit: OrNull(Count('requests a day, over all keys of the owner; null: no limit')),
    remaining: OrNull(Count('what is left of it today; null: no limit'))
  }),
  audioSeconds: Type.Object({
    used: Type.Number({ minimum: 0, description: 'length of the recordings transcribed for the owner in the period' }),
    limit: OrNull(Count('what the plan allows in the period; null: no limit'))
  }),
  recent: Type.Array(RecentRequest, { description: 'of this key, the last first' })
}, {
  title: 'Usage',
  description: 'What was used.',
  examples: [{
    period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
    requests: { total: 420, today: 58, limit: 100, remaining: 42 },
    audioSeconds: { used: 5025.4, limit: 90_000 },
    recent: [{ id: '7d3c4f5e-0d4b-4c1e-9a55-0f6b2f1d8e21', method: 'GET', path: '/api/v1/jobs/{id}', status: 200, durationMs: 3, at: '2026-11-21T09:30:00.000Z' }]
  }]
})

function toReply ({ period, requests: { quota, ...counts }, audio, recent }: UsageView): Static<typeof UsageReply> {
  return {
    period: { start: toIsoTime(period.startMs), end: toIsoTime(period.endMs) },
    requests: { ...counts, limit: quota?.limit ?? null, remaining: quota?.remaining ?? null },
    audioSeconds: { used: toSeconds(audio.usedMs), limit: audio.limitMinutes === null ? null : audio.limitMinutes * 60 },
    recent: recent.map(({ keyId: _, at, ...request }) => ({ ...request, at: toIsoTime(at) }))
  }
}

export const usageRoutes: FastifyPluginAsyncTypebox<{ usage: Pick<Usage, 'read'> }> = async (app, { usage }) => {
  app.get('/usage', operation({
    operationId: 'getApiUsage',
    tag: 'Usage',
    summary: 'What the key has used, and what is left',
    description: 'Counts and log are those of the key that asks; limits and audio those of its owner. A request that is refused with 429 is neither counted nor logged. Answered even when the requests of the day are used up.',
    caller: 'api_key',
    querystring: UsageQuery,
    replies: { 200: Success(UsageReply) },
    isAlwaysAnswered: true
  }), async (request, reply) => {
    const { limit = DEFAULT_RECENT } = request.query
    const view = usage.read(principalOf(request), limit)
    return reply.header('cache-control', 'no-store').send(ok(toReply(view)))
  })
}
