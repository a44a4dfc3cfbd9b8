/** The fetch stage over real stores and files, with a clock that goes when told; what is outside is played. */
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { JobFailure } from '../../dist/domain/errors.js'
import type { Arrival, SourceDownload } from '../../dist/engine/http/source-download.js'
import type { FetchError } from '../../dist/domain/fetch-error.js'
import type { PageFacts } from '../../dist/engine/media/yt-dlp.js'
import { createFetching } from '../../dist/service/fetching.js'
import { createEnding } from '../../dist/service/ending.js'
import { createRemoval } from '../../dist/service/removal.js'
import { createRetention } from '../../dist/service/retention.js'
import { createStages } from '../../dist/service/stages.js'
import type { WorkClaim } from '../../dist/domain/work.js'
import { NEVER } from './never.ts'
import { openSubmit } from './submit.ts'
import type { Changes } from './submit.ts'
import { ANY_FETCH } from './store.ts'

export type World = {
  /** What is at each address; elsewhere is nothing. */
  at?: Record<string, Arrival | Error | ((download: SourceDownload) => Promise<Arrival>)>
  page?: PageFacts | Error
  /** What yt-dlp does in its directory; the name of what it brought. */
  bring?: (directory: string) => Promise<string>
  /** What the proxy refused. */
  problem?: FetchError
  keepMedia?: boolean
  mediaDays?: number
  transcriptDays?: number
  changes?: Changes
}

const unused = (): never => { throw new Error('not part of this test') }

/** A file with this content. */
export const file = (content: string, more: object = {}) => async ({ draft }: SourceDownload): Promise<Arrival> => {
  await draft.begin({})
  await draft.append(Buffer.from(content))
  return { kind: 'media', name: undefined, identity: undefined, ...more }
}

export async function openFetching (
  t: Test, { at = {}, page, bring = unused, problem, keepMedia = true, mediaDays = 0, transcriptDays = 0, changes = {} }: World
) {
  const stores = await openSubmit(t, changes)
  const { jobs, media, submitAddress, clock } = stores
  const queue = stores.createQueue(clock.now)
  const log = { info () {}, warn () {}, error () {} }
  const inspected: Array<{ url: string, onlyKnown: boolean }> = []
  const removal = createRemoval(stores)
  const audit = { record: () => {} }
  const retention = createRetention({ ...stores, removal, keepMedia, mediaDays, transcriptDays, audit, now: clock.now })
  const ending = createEnding({ ...stores, queue, retention, deliveries: { enqueue () {} }, now: clock.now, log })
  const fetching = createFetching({
    ...stores,
    queue,
    ending,
    stages: createStages({ ...stores, now: clock.now }),
    downloads: {
      async fetch (download) {
        const there = at[download.url] ?? new JobFailure('source_not_found', 'nothing')
        if (there instanceof Error) throw there
        return typeof there === 'function' ? await there(download) : there
      }
    },
    ytDlp: {
      version: unused,
      async inspect (addressPath, _, { onlyKnown }) {
        inspected.push({ url: readFileSync(addressPath, 'utf8'), onlyKnown })
        if (!page || page instanceof Error) throw page ?? new JobFailure('source_unsupported', 'unknown')
        return page
      },
      download: async (_, { directory }) => await bring(directory)
    },
    startProxy: async () => ({ url: 'http://proxy', problem: () => problem, close: async () => {} }),
    maxMediaBytes: 1000,
    maxMediaSeconds: 3600,
    now: clock.now,
    elapsed: clock.now,
    log
  })

  /** Claims what waits next. */
  function claim (): WorkClaim {
    const found = fetching.claim(ANY_FETCH)
    if (!found) throw new Error('no source waits')
    return found
  }

  return {
    ...stores,
    fetching,
    ending,
    retention,
    inspected,
    claim,
    /** Submits an address and fetches it; the job after that. */
    async fetch (url: string, fileName?: string) {
      const id = await submitAddress(url, { fileName, options: { sttQuality: 'fast' } })
      await fetching.fetch(claim(), NEVER)
      const job = jobs.find(id)
      if (!job) throw new Error('the job is gone')
      return job
    },
    mediaOf: (jobId: number) => media.find(jobs.find(jobId)?.mediaId ?? 0)
  }
}
