/** Usage of an API key, or of an owner. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { toSeconds } from '../domain/transcript.js'
import { MAX_LOGGED_REQUESTS } from '../domain/usage.js'
import type { Usage, UsageDay, UsageView } from '../service/usage.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'
import { ok, Success, toIsoTime } from './contract/schemas.js'

const DEFAULT_RECENT = 100

const UsageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({
    minimum: 1, maximum: MAX_LOGGED_REQUESTS, default: DEFAULT_RECENT, description: 'number of recent requests in the reply'
  }))
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const OrNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Time = (description: string) => Type.String({ format: 'date-time', description })

const RecentRequest = Type.Object({
  id: Type.String({ description: 'the requestId of error replies' }),
  method: Type.String(),
  path: Type.String({ description: 'path template, without ids and query' }),
  status: Type.Integer({ description: '499: the client closed the connection before the reply' }),
  durationMs: Count('from arrival to the end of the reply'),
  at: Time('time of arrival')
}, { title: 'RecentRequest' })

const UsageReply = Type.Object({
  period: Type.Object({ start: Time('inclusive'), end: Time('exclusive') }, { description: 'the current calendar month (UTC)' }),
  requests: Type.Object({
    total: Count('requests of this key in the period; for a person on the page, of all keys and tokens'),
    today: Count('the same since midnight UTC'),
    limit: OrNull(Count('daily limit over all keys of the owner; null: no limit')),
    remaining: OrNull(Count('left today; null: no limit'))
  }),
  audioSeconds: Type.Object({
    used: Type.Number({ minimum: 0, description: 'seconds of recordings that were transcribed for the owner in the period' }),
    limit: OrNull(Count('limit of the plan in the period; null: no limit'))
  }),
  recent: Type.Array(RecentRequest, { description: 'requests of this key, newest first; empty for a person on the page' })
}, {
  title: 'Usage',
  description: 'The usage of the key.',
  examples: [{
    period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
    requests: { total: 420, today: 58, limit: 100, remaining: 42 },
    audioSeconds: { used: 5025.4, limit: 90_000 },
    recent: [{
      id: '7d3c4f5e-0d4b-4c1e-9a55-0f6b2f1d8e21', method: 'GET', path: '/api/v1/jobs/{id}', status: 200, durationMs: 3,
      at: '2026-11-21T09:30:00.000Z'
    }]
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

const DEFAULT_DAYS = 30
const MAX_DAYS = 366
const DaysQuery = Type.Object({
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DAYS, default: DEFAULT_DAYS, description: 'today included' }))
})
const Days = Type.Array(Type.Object({
  day: Type.String({ format: 'date', description: 'in UTC' }),
  requests: Count('requests of all keys and tokens of the owner'),
  minutes: Type.Number({ minimum: 0, description: 'minutes of recordings whose transcription was completed' })
}, { title: 'UsageDay' }), {
  description: 'One item for each day, oldest first.',
  examples: [[{ day: '2026-11-20', requests: 0, minutes: 0 }, { day: '2026-11-21', requests: 58, minutes: 83.8 }]]
})

const MINUTE_MS = 60_000
const toDay = ({ startMs, requests, audioMs }: UsageDay) =>
  ({ day: toIsoTime(startMs).slice(0, 10), requests, minutes: Math.round(10 * audioMs / MINUTE_MS) / 10 })

export const usageRoutes: FastifyPluginAsyncTypebox<{ usage: Pick<Usage, 'read' | 'readDays'> }> = async (app, { usage }) => {
  app.get('/usage', operation({
    operationId: 'getApiUsage',
    tag: 'Usage',
    summary: 'Get usage and limits',
    description: 'The request counts and the recent requests are those of this key. The limits and the audio are those of its owner. ' +
      'A person who is signed in on the page gets the counts of all keys and tokens; what the page itself asks is not counted. Requests ' +
      'that are answered with 429 are neither counted nor logged. This operation works even if the daily requests are used up.',
    caller: 'api_key',
    querystring: UsageQuery,
    replies: { 200: Success(UsageReply) },
    isAlwaysAnswered: true
  }), async (request) => {
    const { limit = DEFAULT_RECENT } = request.query
    return ok(toReply(usage.read(principalOf(request), limit)))
  })

  app.get('/usage/days', operation({
    operationId: 'listUsageDays',
    tag: 'Usage',
    summary: 'Get the usage of each of the last days',
    description: 'The requests are those of all keys and tokens of the owner.',
    caller: 'api_key',
    querystring: DaysQuery,
    replies: { 200: Success(Days) }
  }), async (request) => ok(usage.readDays(principalOf(request).ownerId, request.query.days ?? DEFAULT_DAYS).map(toDay)))
}
