/** The first stage of a job with a URL: stores its recording, or fails the job with the reason. */
import { createHash, randomUUID } from 'node:crypto'
import { failureCodeOf, JobFailure } from '../domain/errors.js'
import type { Log } from '../domain/log.js'
import { lendCredentials } from '../domain/source.js'
import type { SourceFacts } from '../domain/source.js'
import { ClaimLost } from '../domain/work.js'
import type { WorkClaim } from '../domain/work.js'
import { toJobFailure } from '../engine/http/source-download.js'
import type { Arrival, SourceDownloads } from '../engine/http/source-download.js'
import { findNewestEpisode } from '../engine/media/parse-apart.js'
import type { FilterProxy } from '../engine/http/filter-proxy.js'
import type { PageFacts, Place, YtDlp } from '../engine/media/yt-dlp.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { SourceStore } from '../store/sources.js'
import type { FetchLimits, WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import type { Ending } from './ending.js'
import { createFetchPlaces } from './fetch-places.js'
import type { Queue } from './queue.js'
import { createRunningDownloads } from './running-downloads.js'
import type { RequireRoom } from './running-downloads.js'
import type { Stages } from './stages.js'
import type { Submit } from './submit.js'

/** Progress is stored in steps of this share: what clients see changes with each, and a file causes at most about a hundred writes. */
const NOTED_SHARE = 0.01
/** Names of files that a run of yt-dlp has beside the recording. */
const ADDRESS_FILE = 'address'
const INFO_FILE = 'info.json'
const FORMAT_FILE = 'format'

/** Recordings that are fetched, or being fetched, and not decoded yet: they take disk. */
export const MAX_AHEAD = 24

type Deps = {
  jobs: JobStore
  sources: SourceStore
  media: MediaStore
  work: WorkStore
  orders: Pick<WorkOrders, 'fetch' | 'isOtherFetchReady'>
  queue: Pick<Queue, 'claim'>
  stages: Pick<Stages, 'fetched'>
  files: Files
  inTransaction: InTransaction
  submit: Pick<Submit, 'requireDownloadRoom'>
  ending: Pick<Ending, 'fail' | 'removeEnded'>
  downloads: SourceDownloads
  ytDlp: YtDlp
  /** Starts a proxy for one run of yt-dlp. `share`: who it runs for. */
  startProxy: (share: string) => Promise<FilterProxy>
  maxMediaBytes: number
  maxMediaSeconds: number
  now: () => number
  /** See `createFetchPlaces`. */
  elapsed?: (() => number) | undefined
  log: Log
}

/** What a fetch found: a file among the job's drafts, or media that is stored already. `name`: what the server calls the file. */
type Fetched = SourceFacts & { name: string | undefined, identity: string | undefined } &
  ({ file: string | undefined } | { mediaId: number })
type Work = { claim: WorkClaim, url: string, ownerId: number, signal: AbortSignal, requireRoom: RequireRoom }

/** Stored media that this job was to use too has been removed meanwhile, so the source has to be fetched. */
class MediaGone extends Error {}

/** Lookups of names are shared among owners. */
const shareOf = ({ ownerId }: Work): string => `owner ${ownerId}`

const NOTHING_KNOWN = { title: undefined, publishedAt: undefined, name: undefined }

const hashIdentity = (identity: string | undefined): string | undefined =>
  identity === undefined ? undefined : createHash('sha256').update(identity).digest('hex')

export function createFetching (deps: Deps) {
  const { jobs, sources, media, work: rows, orders, queue, stages, files, inTransaction, submit, ending, now, log } = deps
  const { downloads, ytDlp, startProxy, maxMediaBytes, maxMediaSeconds } = deps

  function createProgress ({ claim }: Work): (share: number) => void {
    let noted = 0
    return (share) => {
      if (share < 1 && Math.abs(share - noted) < NOTED_SHARE) return
      noted = share
      inTransaction(() => {
        if (!rows.isClaim(claim)) return
        sources.setFetched(claim.jobId, share)
        jobs.touch(claim.jobId, now())
      })
    }
  }

  /** Whether another owner waits for a place. Jobs of the same owner do not hurry each other. */
  const isOtherWaiting = (ownerId: number): boolean => orders.isOtherFetchReady(ownerId, MAX_AHEAD)
  const isContended = ({ ownerId }: Work) => (): boolean => isOtherWaiting(ownerId)
  const runningDownloads = createRunningDownloads({ submit })
  const places = createFetchPlaces({ isOtherWaiting, elapsed: deps.elapsed })

  async function download (work: Work, url: string): Promise<Arrival> {
    const { claim, ownerId, signal, requireRoom } = work
    const draft = await files.drafts.open(claim.jobId, url)
    try {
      const isStored = (identity: string): boolean => sources.findMedia(ownerId, identity) !== undefined
      const options = { maxBytes: maxMediaBytes, onProgress: createProgress(work), isContended: isContended(work), share: shareOf(work) }
      return await downloads.fetch({ url, draft, isStored, requireRoom, signal, ...options })
    } finally {
      await draft.close()
    }
  }

  /** Downloads what is at an address, pages and streams with yt-dlp. A feed is returned as text. */
  async function fetchFrom (work: Work, url: string): Promise<Fetched | { feed: string, url: string }> {
    try {
      const arrival = await download(work, url)
      if (arrival.kind === 'feed') return { feed: arrival.text, url: arrival.url }
      if (arrival.kind === 'media') return { ...NOTHING_KNOWN, name: arrival.name, identity: arrival.identity, file: undefined }
      if (arrival.kind === 'stored') return useStored(work, { ...NOTHING_KNOWN, name: arrival.name, identity: arrival.identity })
      // A stream in pieces has no title; yt-dlp would make one of its address.
      if (arrival.kind === 'manifest') return { ...await fetchPage(work, url, { onlyKnown: false }), title: undefined }
      if (arrival.kind === 'live') throw new JobFailure('source_unsupported', 'a stream without an end')
    } catch (error) {
      // Some platforms refuse clients that are not browsers. yt-dlp knows how to ask them.
      if (!(error instanceof JobFailure && error.code === 'source_forbidden')) throw error
      return await fetchPage(work, url, { onlyKnown: true }).catch((second: unknown) => {
        throw second instanceof JobFailure && second.code === 'source_unsupported' ? error : second
      })
    }
    return await fetchPage(work, url, { onlyKnown: false })
  }

  function useStored ({ ownerId }: Work, facts: Omit<Fetched, 'identity'> & { identity: string }): Fetched {
    const mediaId = sources.findMedia(ownerId, facts.identity)
    if (mediaId === undefined) throw new MediaGone()
    return { ...facts, mediaId }
  }

  async function fetchPage (work: Work, url: string, options: { onlyKnown: boolean }): Promise<Fetched> {
    const proxy = await startProxy(shareOf(work))
    try {
      const place = { directory: await files.drafts.makeDirectory(work.claim.jobId), proxyUrl: proxy.url, signal: work.signal }
      const addressPath = await files.drafts.writeNote(work.claim.jobId, ADDRESS_FILE, url)
      return await runYtDlp(work, place, await ytDlp.inspect(addressPath, place, options))
    } catch (error) {
      const problem = proxy.problem()
      throw error instanceof JobFailure && (problem?.code === 'blocked' || problem?.code === 'offline') ? toJobFailure(problem) : error
    } finally {
      await proxy.close()
    }
  }

  async function runYtDlp (work: Work, place: Place, page: PageFacts): Promise<Fetched> {
    const { jobId } = work.claim
    if ((page.durationMs ?? 0) > maxMediaSeconds * 1000) throw new JobFailure('media_too_long', 'longer than allowed')
    if ((page.sizeBytes ?? 0) > maxMediaBytes) throw new JobFailure('media_too_large', 'larger than allowed')
    const facts = { ...NOTHING_KNOWN, title: page.title, publishedAt: page.publishedAt, identity: hashIdentity(page.identity) }
    if (facts.identity !== undefined && sources.findMedia(work.ownerId, facts.identity) !== undefined) {
      return useStored(work, { ...facts, identity: facts.identity })
    }
    await work.requireRoom(page.sizeBytes ?? 0, 0)
    // Resume only the same format of the same recording.
    if (await files.drafts.readNote(jobId, FORMAT_FILE) !== page.format) {
      await files.drafts.remove(jobId)
      await files.drafts.makeDirectory(jobId)
      await files.drafts.writeNote(jobId, FORMAT_FILE, page.format)
    }
    const infoPath = await files.drafts.writeNote(jobId, INFO_FILE, page.info)
    const options = { maxBytes: maxMediaBytes, onProgress: createProgress(work), isContended: isContended(work) }
    const file = await ytDlp.download(infoPath, place, options)
    return { ...facts, file }
  }

  async function fetchRecording (work: Work): Promise<Fetched> {
    const first = await fetchFrom(work, work.url)
    if (!('feed' in first)) return first
    const episode = await findNewestEpisode(first.feed, first.url, work.signal)
    const second = await fetchFrom(work, lendCredentials(episode.url, work.url))
    if ('feed' in second) throw new JobFailure('source_unsupported', 'a feed whose newest episode is a feed')
    return { ...second, title: episode.title ?? second.title, publishedAt: episode.publishedAt ?? second.publishedAt }
  }

  /** Stores what the fetch found. From now on, the job waits to be decoded. Throws `ClaimLost`, `MediaGone`. */
  function finish ({ claim }: Work, mediaId: number, fetched: Fetched): void {
    if (!rows.finish(claim)) throw new ClaimLost()
    const job = jobs.find(claim.jobId)
    if (!job) throw new ClaimLost()
    if (media.find(mediaId)?.state !== 'stored') throw new MediaGone()
    const fileName = sources.isNamed(job.id) ? job.fileName : fetched.title ?? fetched.name ?? job.fileName
    jobs.finishFetch(job.id, mediaId, fileName, now())
    sources.finish(job.id, fetched)
    stages.fetched(claim)
    if (job.mediaId !== mediaId) media.dropEmpty(job.mediaId)
  }

  /** Makes the file media of the job. A file that the owner has already is not stored twice. */
  async function storeFile (work: Work, fetched: Fetched & { file: string | undefined }): Promise<void> {
    const { claim: { jobId }, ownerId } = work
    const expected = media.find(jobs.find(jobId)?.mediaId ?? 0)
    const file = expected?.state === 'expected' ? expected.file : `source-${randomUUID()}`
    const stored = await files.drafts.digest(jobId, fetched.file)
    if (stored.sizeBytes === 0) throw new JobFailure('unsupported_media', 'nothing came')
    await files.drafts.store(jobId, file, fetched.file)
    let isUsed = false
    try {
      inTransaction(() => {
        const twin = media.findStored(ownerId, stored.sha256)
        const isFilled = !twin && expected?.state === 'expected' && media.fill(expected.id, stored, now())
        const mediaId = twin?.id ?? (isFilled ? expected.id : media.insert({ ownerId, file, ...stored }, now()))
        finish(work, mediaId, fetched)
        isUsed = twin === undefined
      })
    } finally {
      if (!isUsed) await files.removeMedia(file)
    }
    await files.drafts.remove(jobId)
  }

  async function fetchSource (work: Work): Promise<void> {
    const fetched = await fetchRecording(work)
    if ('mediaId' in fetched) inTransaction(() => { finish(work, fetched.mediaId, fetched) })
    else await storeFile(work, fetched)
    log.info({ jobId: work.claim.jobId, isKnown: 'mediaId' in fetched }, 'source fetched')
  }

  return {
    /** Claims the next source to fetch. */
    claim: (limits: FetchLimits): WorkClaim | undefined => queue.claim({
      kinds: ['fetch'], next: () => orders.fetch(limits), begin: ({ jobId }) => { jobs.begin(jobId, 'fetch', now()) }
    }),
    /** The fetch step. Gives the claim back when `signal` aborts, when its place is taken back, or when its stored draft is gone. */
    async fetch (claim: WorkClaim, stopped: AbortSignal): Promise<void> {
      const job = jobs.find(claim.jobId)
      const url = sources.findUrl(claim.jobId)
      if (!job || url === undefined) return
      await places.hold(job.ownerId, stopped, async (signal) => {
        try {
          const { ownerId } = job
          await runningDownloads.run(ownerId, async (requireRoom) => { await fetchSource({ claim, url, ownerId, signal, requireRoom }) })
        } catch (error) {
          if (error instanceof ClaimLost || !rows.isClaim(claim)) return await ending.removeEnded(claim.jobId)
          if (signal.aborted || error instanceof MediaGone) return rows.release(claim)
          await ending.fail(job, failureCodeOf(error), error)
        }
      })
    },
    /** Call it while no place is free: takes back one that was held for long, if another owner waits. */
    yieldPlace: places.yieldOne
  }
}
export type Fetching = ReturnType<typeof createFetching>
