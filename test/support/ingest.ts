/** Uploads and what they become, over real stores and real files, with a clock that goes when told. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import type { Test } from 'tap'
import { createIngest } from '../../dist/service/ingest.js'
import { createUploads } from '../../dist/service/uploads.js'
import type { NewUpload } from '../../dist/service/uploads.js'
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

export type Changes = { maxMediaBytes?: number, minFreeBytes?: number, maxQueued?: number, jobs?: Partial<JobStore>, files?: Partial<Files> }

export async function openIngest (t: Test, changes: Changes = {}) {
  const dataDir = t.testdir()
  const stores = openStores(t, dataDir)
  const clock = createClock(Date.now())
  const files = { ...createFiles(dataDir), ...changes.files }
  await files.prepare()
  const { media, inTransaction } = stores
  const limits = { maxMediaBytes: changes.maxMediaBytes ?? 100 * MIB, minFreeBytes: changes.minFreeBytes ?? 0, maxQueued: changes.maxQueued ?? 1000 }
  const jobs = { ...stores.jobs, ...changes.jobs }
  const ingest = createIngest({
    jobs, media, sources: stores.sources, owners: stores.owners, files, inTransaction, ...limits, now: clock.now
  })
  const uploads = createUploads({ uploads: stores.uploads, media, files, ingest, maxMediaBytes: limits.maxMediaBytes, now: clock.now })
  const owner = stores.apiKeys.ensureOwner('owner', 0)
  const other = stores.apiKeys.ensureOwner('other', 0)

  return {
    ...stores,
    dataDir,
    clock,
    files,
    ingest,
    service: uploads,
    owner,
    other,
    /** Begins an upload of these bytes. */
    begin: async (bytes: Uint8Array, more: Partial<NewUpload> = {}) => await uploads.begin({
      ownerId: owner, fileName: 'talk.mp3', sizeBytes: bytes.length, fileType: undefined, sha256: undefined, options: { sttQuality: 'balanced' },
      apiKeyId: undefined, webhook: undefined, ...more
    }),
    /** Sends part `partNumber` of `bytes` as a client does that announces its length. */
    send: async (id: string, bytes: Buffer, partNumber: number) => {
      const part = bytes.subarray((partNumber - 1) * MIB, partNumber * MIB)
      return await uploads.receivePart(id, owner, partNumber, { lengthBytes: part.length, source: chunksOf(part) })
    },
    list: (place: string): string[] => existsSync(`${dataDir}/${place}`) ? readdirSync(`${dataDir}/${place}`, { recursive: true }).map(String).sort() : [],
    countJobs: (): unknown => stores.db.prepare('SELECT count(*) FROM job').pluck().get()
  }
}
