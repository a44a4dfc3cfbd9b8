/** The numbers for monitoring in Prometheus' text format, and request durations. Labels contain no data of users. */
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Metrics, Readings } from '../../service/metrics.js'

/** In seconds: from a lookup to a large upload part. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

type Sample = { value: number, labels?: Record<string, string> }
type Series = { type: 'gauge' | 'counter', name: string, help: string, labels?: readonly string[], of: (readings: Readings) => Sample[] }

const one = (value: number): Sample[] => [{ value }]
const each = <T>(values: Iterable<T>, sample: (value: T) => Sample): Sample[] => [...values].map(sample)
const byKey = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  each(Object.entries(values), ([key, value]) => ({ value, labels: { [label]: key } }))

const SERIES: readonly Series[] = [
  {
    type: 'gauge', name: 'stenobox_build_info', help: 'Always 1; the label has the version', labels: ['version'],
    of: ({ version }) => [{ value: 1, labels: { version } }]
  },
  { type: 'gauge', name: 'stenobox_workers', help: 'Windows that may be transcribed at once', of: ({ slots }) => one(slots) },
  {
    type: 'gauge', name: 'stenobox_jobs', help: 'Jobs in progress by state', labels: ['state'], of: ({ jobs }) => byKey('state', jobs)
  },
  {
    type: 'counter', name: 'stenobox_jobs_ended_total', help: 'Jobs that have ended by state', labels: ['state'],
    of: ({ ended }) => byKey('state', ended)
  },
  {
    type: 'counter', name: 'stenobox_job_failures_total', help: 'Failed jobs by failure code', labels: ['code'],
    of: ({ failures }) => byKey('code', Object.fromEntries(failures))
  },
  {
    type: 'gauge', name: 'stenobox_queue_oldest_seconds', help: 'Age of the oldest job in progress; 0 without one',
    of: ({ oldestJobMs }) => one(oldestJobMs / 1000)
  },
  {
    type: 'gauge', name: 'stenobox_work', help: 'Unfinished pieces of background work by kind and state', labels: ['kind', 'state'],
    of: ({ work }) => each(work, ({ kind, state, pieces }) => ({ value: pieces, labels: { kind, state } }))
  },
  {
    type: 'counter', name: 'stenobox_windows_total', help: 'Windows that were transcribed', labels: ['quality'],
    of: ({ windows }) => each(windows, ([quality, totals]) => ({ value: totals.windows, labels: { quality } }))
  },
  {
    type: 'counter', name: 'stenobox_audio_seconds_total', help: 'Speech that was transcribed', labels: ['quality'],
    of: ({ windows }) => each(windows, ([quality, totals]) => ({ value: totals.audioMs / 1000, labels: { quality } }))
  },
  {
    type: 'counter', name: 'stenobox_processing_seconds_total', help: 'Time that workers took for it; divided by it, the RTF of a worker',
    labels: ['quality'],
    of: ({ windows }) => each(windows, ([quality, totals]) => ({ value: totals.processingMs / 1000, labels: { quality } }))
  },
  {
    type: 'gauge', name: 'stenobox_model_resident', help: 'Speech and language models in memory now', labels: ['kind', 'model'],
    of: ({ models }) => each(models, (labels) => ({ value: 1, labels }))
  },
  {
    type: 'gauge', name: 'stenobox_webhooks_pending', help: 'Webhook deliveries that are still to be sent',
    of: ({ webhooks }) => one(webhooks.pending)
  },
  {
    type: 'gauge', name: 'stenobox_webhooks_overdue_seconds', help: 'How long the oldest delivery that is due has waited',
    of: ({ webhooks }) => one(webhooks.overdueMs / 1000)
  },
  {
    type: 'counter', name: 'stenobox_webhook_requests_total', help: 'Requests to webhook receivers by result', labels: ['result'],
    of: ({ webhooks }) => byKey('result', webhooks.sent)
  },
  { type: 'gauge', name: 'stenobox_disk_free_bytes', help: 'Free space for the data directory', of: ({ disk }) => one(disk.freeBytes) },
  {
    type: 'gauge', name: 'stenobox_disk_min_free_bytes', help: 'Below this, new recordings are refused',
    of: ({ disk }) => one(disk.minFreeBytes)
  },
  {
    type: 'gauge', name: 'stenobox_database_bytes', help: 'Sizes of the database and its write-ahead log', labels: ['file'],
    of: ({ disk }) => byKey('file', { database: disk.databaseBytes, log: disk.logBytes })
  },
  {
    type: 'gauge', name: 'stenobox_memory_available_bytes', help: 'Memory that can be used without swapping',
    of: ({ memoryAvailableBytes }) => one(memoryAvailableBytes)
  },
  {
    type: 'gauge', name: 'stenobox_erasure_pending', help: '1 while deleted text has not been cleared from the database',
    of: ({ isErasurePending }) => one(isErasurePending ? 1 : 0)
  }
]

function addSeries (registry: Registry, { type, name, help, labels = [], of }: Series): (readings: Readings) => void {
  const options = { name, help, labelNames: [...labels], registers: [registry] }
  if (type === 'gauge') {
    const gauge = new Gauge(options)
    return (readings) => {
      gauge.reset()
      for (const { value, labels = {} } of of(readings)) gauge.set(labels, value)
    }
  }
  const counter = new Counter(options)
  return (readings) => {
    counter.reset()
    for (const { value, labels = {} } of of(readings)) counter.inc(labels, value)
  }
}

/** Measures the requests of operations that are registered on `app` after this call. `certificateExpiresAt`: in ms since 1970. */
export function createExposition (app: FastifyInstance, metrics: Pick<Metrics, 'read'>, certificateExpiresAt?: () => number) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const updates = SERIES.map((series) => addSeries(registry, series))
  const registers = [registry]
  if (certificateExpiresAt) {
    const help = 'When the TLS certificate expires, in seconds since 1970'
    const expiry = new Gauge({ name: 'stenobox_tls_certificate_expiry_timestamp_seconds', help, registers })
    updates.push(() => { expiry.set(certificateExpiresAt() / 1000) })
  }
  const labelNames = ['operation', 'status']
  const times = new Histogram({
    name: 'stenobox_http_request_duration_seconds', help: 'Times of requests', labelNames, registers, buckets: BUCKETS
  })
  app.addHook('onResponse', async ({ routeOptions }, reply) => {
    const { operationId: operation } = routeOptions.config.operation ?? {}
    if (operation !== undefined) times.observe({ operation, status: `${Math.floor(reply.statusCode / 100)}xx` }, reply.elapsedTime / 1000)
  })
  return {
    contentType: registry.contentType,
    /** All numbers now. */
    async render (): Promise<string> {
      const readings = await metrics.read()
      for (const update of updates) update(readings)
      return await registry.metrics()
    }
  }
}
export type Exposition = ReturnType<typeof createExposition>
