/** What the queue asks all the time must cost the same whether the library holds ten jobs or a hundred thousand. */
import t from 'tap'
import { openDatabase } from '../../dist/store/database.js'
import type { Database } from '../../dist/store/database.js'
import { createApiKeyStore } from '../../dist/store/api-keys.js'
import { createDeliveryStore } from '../../dist/store/deliveries.js'
import { createIdempotencyStore } from '../../dist/store/idempotency.js'
import { createIdentityStore } from '../../dist/store/identities.js'
import { createJobList } from '../../dist/store/job-list.js'
import { createJobStore } from '../../dist/store/jobs.js'
import { createMediaStore } from '../../dist/store/media.js'
import { createOauthStore } from '../../dist/store/oauth.js'
import { createOverviewStore } from '../../dist/store/overview.js'
import { createOwnerStore } from '../../dist/store/owners.js'
import { createLibrary } from '../../dist/store/library.js'
import { createPassageStore } from '../../dist/store/passages.js'
import { createPlanLimitsStore } from '../../dist/store/plan-limits.js'
import { createSessionStore } from '../../dist/store/sessions.js'
import { createShareStore } from '../../dist/store/shares.js'
import { createSourceStore } from '../../dist/store/sources.js'
import { createSpeakerStore } from '../../dist/store/speakers.js'
import { createTagStore } from '../../dist/store/tags.js'
import { createTranscriptStore } from '../../dist/store/transcripts.js'
import { createUploadStore } from '../../dist/store/uploads.js'
import { createUsageStore } from '../../dist/store/usage.js'
import { createWebhookStore } from '../../dist/store/webhooks.js'
import { createWindowStore } from '../../dist/store/windows.js'
import { createWorkOrders } from '../../dist/store/work-orders.js'
import { createWorkStore } from '../../dist/store/work.js'

/**
 * Indexes that hold only what is in progress, and lists made in the query itself (of receivers, of earlier keys): a full scan of
 * them is cheap.
 */
const SMALL = /^SCAN (found|lineage|earliest|\w+ USING (COVERING )?INDEX (job_active|job_processing|work_ready|work_running))$/
/** Rare requests of a person: complete lists (most of at most six rows), and the removal of an owner, which checks all references. */
const BY_A_PERSON = /FROM api_key k JOIN owner|count\(\*\) AS n FROM api_key|FROM plan_limits|DELETE FROM (owner|api_key)/
/** The sweep looks at all media, and at all jobs (for those without an index), once an hour: 37 ms for a hundred thousand. */
const EVERY_HOUR = /^SCAN (media USING COVERING INDEX media_stored|j$)/
/** Full text is found by words, and embedding models are few. */
const OF_SEARCH = /^SCAN (m|t|passage_terms|json_each|\(subquery-\d+\)|.*VIRTUAL TABLE INDEX)/
/** A thousand programs at most, besides those the administrator added. */
const OF_CLIENTS = /^SCAN oauth_client/

type Plan = { sql: string, steps: string[] }

/** The plan of every statement that is prepared on this database. */
function watchPlans (db: Database): Plan[] {
  const plans: Plan[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    const parameters = Object.fromEntries([...sql.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, 1]))
    const positional = [...sql.matchAll(/\?/g)].map(() => '[]')
    const rows = prepare<[...string[], object], { detail: string }>('EXPLAIN QUERY PLAN ' + sql).all(...positional, parameters)
    plans.push({ sql, steps: rows.map(({ detail }) => detail) })
    return prepare(sql)
  }) as typeof db.prepare
  return plans
}

t.test('no query scans a whole table', async (t) => {
  const db = openDatabase(':memory:')
  t.teardown(() => { db.close() })
  const plans = watchPlans(db)
  createApiKeyStore(db)
  createDeliveryStore(db)
  createIdempotencyStore(db)
  createIdentityStore(db)
  createJobList(db)
  createJobStore(db)
  createMediaStore(db)
  createOauthStore(db)
  createOwnerStore(db)
  createOverviewStore(db)
  createLibrary(db)
  createPassageStore(db)
  createPlanLimitsStore(db)
  createSessionStore(db)
  createShareStore(db)
  createSourceStore(db)
  createSpeakerStore(db)
  createTagStore(db)
  createTranscriptStore(db)
  createUsageStore(db)
  createUploadStore(db)
  createWebhookStore(db)
  createWindowStore(db)
  createWorkStore(db)
  createWorkOrders(db).byTurn(['language', 'transcribe'])
  t.ok(plans.length > 40)
  for (const { sql, steps } of plans) {
    if (BY_A_PERSON.test(sql)) continue
    const scans = steps.filter((step) => step.startsWith('SCAN') && !SMALL.test(step) && !EVERY_HOUR.test(step) &&
      !OF_CLIENTS.test(step) && !OF_SEARCH.test(step))
    t.strictSame(scans, [], sql.trim().replace(/\s+/g, ' ').slice(0, 80))
  }
})

t.test('each order of work looks only at work that waits, and at jobs in progress', async (t) => {
  const db = openDatabase(':memory:')
  t.teardown(() => { db.close() })
  const plans = watchPlans(db)
  createWorkOrders(db).byTurn(['language', 'transcribe'])
  /** The indexes of the statement that holds this text. */
  const indexesOf = (text: string): string[] => {
    const steps = plans.find(({ sql }) => sql.includes(text))?.steps ?? []
    return [...new Set(steps.flatMap((step) => /INDEX (\w+)/.exec(step)?.[1] ?? []))].sort()
  }
  // job_by_owner: a look-up of one job, by owner and id.
  t.strictSame(indexesOf('m.size_bytes <= :maxBytes'), ['job_by_owner', 'job_processing', 'work_ready', 'work_running'])
  // The rest are look-ups of one row: the job by its id, work of the job by job and kind.
  t.strictSame(indexesOf('o.last_speaker_turn'), ['sqlite_autoindex_work_1', 'work_ready'])
  t.strictSame(indexesOf('AS running'), ['job_by_owner', 'job_processing', 'work_ready', 'work_running'])
  t.strictSame(indexesOf('NOT EXISTS (\n          SELECT 1 FROM work d'), ['job_processing', 'sqlite_autoindex_work_1', 'work_ready'])
  t.strictSame(indexesOf('WITH RECURSIVE found'), ['work_ready_by_turn'])
  t.strictSame(indexesOf('turn_key = :turnKey'), ['work_ready_by_turn'])
  t.strictSame(indexesOf('ORDER BY job_id, idx'), ['work_ready'])
})
