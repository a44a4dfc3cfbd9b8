/** Submitting and uploads over real stores and real files, with a clock that the test moves. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import type { Test } from 'tap'
import type { JobRequest } from '../../dist/domain/submission.js'
import type { Upload, UploadRequest } from '../../dist/domain/upload.js'
import { createPlans } from '../../dist/service/plans.js'
import { createSubmit } from '../../dist/service/submit.js'
import { createUploads } from '../../dist/service/uploads.js'
import { createUsage } from '../../dist/service/usage.js'
import type { Consumer } from '../../dist/service/usage.js'
import { createWebhooks } from '../../dist/service/webhooks.js'
import { createFiles } from '../../dist/store/files.js'
import type { Files } from '../../dist/store/files.js'
import type { JobStore } from '../../dist/store/jobs.js'
import { createClock } from './clock.ts'
import { openStores } from './store.ts'

export const MIB = 1024 * 1024
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export async function * chunksOf (bytes: Buffer, length = 100_000): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += length) yield bytes.subarray(offset, offset + length)
}

/** An owner as a caller without a key, on the plan without limits. */
export const callerOf = (ownerId: number): Consumer => ({ ownerId, plan: 'enterprise' })

export type Changes = {
  maxMediaBytes?: number, minFreeBytes?: number, maxQueued?: number, jobs?: Partial<JobStore>, files?: Partial<Files>
}

export async function openSubmit (t: Test, changes: Changes = {}) {
  const dataDir = t.testdir()
  const stores = openStores(t, dataDir)
  const clock = createClock(Date.now())
  const files = { ...createFiles(dataDir), ...changes.files }
  await files.prepare()
  const { media, sources, owners, inTransaction, inUnsyncedTransaction } = stores
  const limits = {
    maxMediaBytes: changes.maxMediaBytes ?? 100 * MIB, minFreeBytes: changes.minFreeBytes ?? 0, maxQueued: changes.maxQueued ?? 1000
  }
  const jobs = { ...stores.jobs, ...changes.jobs }
  const plans = createPlans({ planLimits: stores.planLimits })
  const usage = createUsage({ usage: stores.usage, plans, inLazyTransaction: inTransaction, now: clock.now })
  const webhooks = createWebhooks({ ...stores, fetcher: { async check () {} }, now: clock.now })
  const submit = createSubmit({ jobs, media, sources, owners, usage, plans, webhooks, files, inTransaction, ...limits, now: clock.now })
  const uploads = createUploads({ uploads: stores.uploads, files, submit, inTransaction, inUnsyncedTransaction, now: clock.now })
  const owner = stores.apiKeys.ensureOwner('owner', 0)
  const other = stores.apiKeys.ensureOwner('other', 0)

  return {
    ...stores,
    dataDir,
    clock,
    files,
    plans,
    submit,
    service: uploads,
    owner,
    other,
    /** Begins an upload of these bytes. */
    async begin (bytes: Uint8Array, more: Partial<UploadRequest> = {}): Promise<Upload> {
      return (await uploads.begin(callerOf(owner), { fileName: 'talk.mp3', sizeBytes: bytes.length, ...more })).upload
    },
    /** Makes the job of an address; its id. */
    async submitAddress (url: string, request: JobRequest = { options: { sttQuality: 'fast' } }): Promise<number> {
      return (await submit.submitAddress(callerOf(owner), { url, field: 'url' }, request)).job.id
    },
    /** Sends part `partNumber` of `bytes` as a client does that announces its length. */
    send: async (id: string, bytes: Buffer, partNumber: number) => {
      const part = bytes.subarray((partNumber - 1) * MIB, partNumber * MIB)
      return await uploads.receivePart(id, owner, partNumber, { lengthBytes: part.length, source: chunksOf(part) })
    },
    list: (place: string): string[] =>
      existsSync(`${dataDir}/${place}`) ? readdirSync(`${dataDir}/${place}`, { recursive: true }).map(String).sort() : [],
    countJobs: (): unknown => stores.db.prepare('SELECT count(*) FROM job').pluck().get()
  }
}
