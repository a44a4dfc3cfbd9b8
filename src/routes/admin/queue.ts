/** Work of all owners: the queue, and failed jobs with retry. Never names of files, titles or texts. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { parseCursor, toCursor } from '../../domain/cursor.js'
import { FAILURE_MESSAGES } from '../../domain/errors.js'
import { STAGES } from '../../domain/job.js'
import type { FailedJob as StoredFailure, Overview, QueuedJob as Queued } from '../../service/overview.js'
import type { Retries } from '../../service/retries.js'
import { operation } from '../contract/operation.js'
import { PAGE_QUERY, PageOf } from '../contract/paging.js'
import { Failure, IdParams, ok, RetriedJob, Success, toIsoTime } from '../contract/schemas.js'
import { audit } from '../plugins/session.js'

const DEFAULT_ROWS = 100
const MAX_ROWS = 500
const DEFAULT_FAILED = 50

const QueueQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: DEFAULT_ROWS, description: 'the most jobs in the reply' }))
})
const Owned = { ownerId: Type.Integer(), ownerName: Type.String() }
const StageName = Type.Enum(STAGES, { description: 'the first stage with unfinished work' })
const Count = (description: string) => Type.Integer({ minimum: 0, description })

const QueuedJob = Type.Object({
  jobId: Type.Integer(),
  ...Owned,
  kind: Type.Union([Type.String(), Type.Null()], { description: 'the kind of work that runs now; null: none' }),
  stage: StageName,
  state: Type.Enum(['running', 'waiting']),
  pieces: Count('pieces of work that run now'),
  startedAt: Type.String({ format: 'date-time', description: 'when its stage began, or when it was queued' }),
  progress: Type.Number({ minimum: 0, maximum: 100 })
}, { title: 'QueuedJob' })

const Queue = Type.Object({
  jobs: Type.Array(QueuedJob, { description: 'what runs, then what waits, oldest first' }),
  counts: Type.Object({
    queued: Count('jobs that have not begun'),
    processing: Count('jobs that have begun'),
    work: Type.Array(Type.Object({ kind: Type.String(), state: Type.String(), pieces: Count('how many') }), {
      description: 'pieces of background work by kind and state'
    })
  })
}, {
  title: 'Queue',
  description: 'The work of all owners.',
  examples: [{
    jobs: [{
      jobId: 42, ownerId: 3, ownerName: 'anna', kind: 'transcribe', stage: 'transcribe', state: 'running', pieces: 2,
      startedAt: '2026-11-21T09:29:00.000Z', progress: 37.5
    }],
    counts: { queued: 7, processing: 1, work: [{ kind: 'transcribe', state: 'running', pieces: 2 }] }
  }]
})

const FailedQuery = Type.Object({
  status: Type.Optional(Type.Enum(['failed'], { default: 'failed', description: 'other jobs are in the queue' })), ...PAGE_QUERY
})
const FailedJob = Type.Object({
  id: Type.Integer(),
  ...Owned,
  ...Failure.properties,
  stage: StageName,
  at: Type.String({ format: 'date-time', description: 'when it failed' }),
  retryCount: Count('retries so far'),
  retryable: Type.Boolean()
}, {
  title: 'FailedJob',
  examples: [{
    id: 42, ownerId: 3, ownerName: 'anna', code: 'decode_failed', message: FAILURE_MESSAGES.decode_failed, stage: 'decode',
    at: '2026-11-21T09:30:00.000Z', retryCount: 0, retryable: true
  }]
})

const toQueued = ({ kind, startedAt, ...job }: Queued): Static<typeof QueuedJob> =>
  ({ ...job, kind: kind ?? null, startedAt: toIsoTime(startedAt) })

const toFailed = ({ at, isRetryable, ...job }: StoredFailure): Static<typeof FailedJob> =>
  ({ ...job, message: FAILURE_MESSAGES[job.code], at: toIsoTime(at), retryable: isRetryable })

type Deps = { overview: Overview, retries: Pick<Retries, 'isRetryable' | 'retryOfAnyOwner'> }

export const queueRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { overview, retries }) => {
  app.get('/queue', operation({
    operationId: 'getQueue',
    tag: 'Administration',
    summary: 'Get what runs and what waits',
    caller: 'administrator',
    querystring: QueueQuery,
    replies: { 200: Success(Queue) }
  }), async (request) => {
    const { jobs, counts } = overview.readQueue(request.query.limit ?? DEFAULT_ROWS)
    return ok({ jobs: jobs.map(toQueued), counts })
  })

  app.get('/jobs', operation({
    operationId: 'listFailedJobs',
    tag: 'Administration',
    summary: 'List failed jobs of all owners',
    caller: 'administrator',
    querystring: FailedQuery,
    replies: { 200: PageOf('FailedJobPage', FailedJob, 'The failed jobs, newest first.') }
  }), async (request) => {
    const { limit = DEFAULT_FAILED, cursor } = request.query
    const { jobs, next } = overview.listFailed({ before: cursor === undefined ? undefined : parseCursor(cursor), limit })
    return { ...ok(jobs.map(toFailed)), nextCursor: next === undefined ? null : toCursor(next) }
  })

  app.post('/jobs/:id/retry', operation({
    operationId: 'retryJobAsAdministrator',
    tag: 'Administration',
    summary: 'Retry a failed job of any owner',
    description: 'As the owner can, whatever minutes the owner has left.',
    caller: 'administrator',
    idempotent: true,
    params: IdParams,
    replies: { 200: Success(RetriedJob) },
    errors: ['not_found', 'conflict', 'gone', 'queue_full']
  }), async (request) => {
    const job = await retries.retryOfAnyOwner(request.params.id)
    audit(request, { jobId: job.id, ownerId: job.ownerId })
    return ok({ jobId: job.id, status: job.status, retryCount: job.retryCount, retryable: retries.isRetryable(job) })
  })
}
