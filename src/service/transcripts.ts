/** Jobs and their transcripts, as callers see them. */
import type { Plan, Principal } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { parseLanguage, toIsoCode } from '../domain/language.js'
import type { Job } from '../domain/job.js'
import { parsePlaceCursor, toPlaceCursor } from '../domain/library-page.js'
import type { LibraryChoice, LibrarySort, SortOrder } from '../domain/library-page.js'
import { parseCursor, toCursor } from '../domain/cursor.js'
import { fold } from '../domain/search-terms.js'
import { toTagKey } from '../domain/titles-and-tags.js'
import { transcriptText } from '../domain/transcript.js'
import type { TimedSegment } from '../domain/transcript.js'
import { deriveIndexWarning, deriveWarnings } from '../domain/warnings.js'
import type { Warning } from '../domain/warnings.js'
import type { DeliveryCounts } from '../domain/webhook.js'
import { toExportName } from '../formats/file-name.js'
import { EXPORT_FORMATS, FORMATS } from '../formats/index.js'
import type { Chunks, ExportFormat } from '../formats/index.js'
import type { DeliveryStore } from '../store/deliveries.js'
import type { JobList } from '../store/job-list.js'
import type { JobStore } from '../store/jobs.js'
import type { PassageStore } from '../store/passages.js'
import type { SpeakerStore } from '../store/speakers.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowStore } from '../store/windows.js'
import { requireDiarization } from './plans.js'
import type { Plans } from './plans.js'

export { EXPORT_FORMATS }

type Deps = {
  jobs: JobStore
  jobList: JobList
  transcripts: TranscriptStore
  windows: Pick<WindowStore, 'readFacts'>
  passages: Pick<PassageStore, 'findIndex'>
  speakers: Pick<SpeakerStore, 'find' | 'list'>
  deliveries: Pick<DeliveryStore, 'count'>
  plans: Pick<Plans, 'limitsOf'>
  isRetryable: (job: Job) => boolean
}

/**
 * A job with its text, warnings and number of speakers (once it is completed), whether it can be retried, and its webhook deliveries by
 * status. `speakerCount`: undefined unless the speakers were identified.
 */
export type JobView = Job & {
  text: string | undefined, warnings: Warning[], speakerCount: number | undefined, isRetryable: boolean, webhooks: DeliveryCounts
}

/** A page of an owner's library, as the owner asks for it. `cursor`: from the reply with the previous page. */
export type LibraryPage = LibraryChoice & {
  ownerId: number, sort: LibrarySort, order: SortOrder | undefined, cursor: string | undefined, limit: number
}
/** `next`: the cursor of the next page; undefined on the last page. */
export type LibraryList = { jobs: Job[], next: string | undefined }

/** The owner who asks for an export, and the owner's plan. */
export type Reader = Pick<Principal, 'ownerId' | 'plan'>

/** A transcript as a file. `chunks` are rendered lazily and can be read only once. */
export type Export = { fileName: string, contentType: string, chunks: Chunks }

/** Formats that are not text and cannot be shown on a terminal. */
export const isBinaryFormat = (format: ExportFormat): boolean => FORMATS[format].isBinary

/** Segments as callers see them whose plan has no speakers. */
export function * withoutSpeakers (segments: Iterable<TimedSegment>): Generator<TimedSegment> {
  for (const { speaker: _, words, ...segment } of segments) {
    yield { ...segment, words: words.map(({ text, startMs, endMs, probability }) => ({ text, startMs, endMs, probability })) }
  }
}

/** Throws `not_found` when there is no such job, or it belongs to another owner. */
export function findOwnedJob (jobs: Pick<JobStore, 'findOwned'>, id: number, ownerId: number): Job {
  const job = jobs.findOwned(id, ownerId)
  if (!job) throw new AppError('not_found', 'There is no such transcription.')
  return job
}

/** Converts filters to the form of the rows: folded text, keys of tags, codes of languages. Throws `invalid_request` for unknown ones. */
const toStored = ({ text, tag, language, ...rest }: LibraryChoice): LibraryChoice => ({
  ...rest,
  text: text === undefined ? undefined : fold(text),
  tag: tag === undefined ? undefined : toTagKey(tag),
  language: language === undefined ? undefined : parseLanguage(language)
})

export function createTranscripts ({ jobs, jobList, transcripts, windows, passages, speakers, deliveries, plans, isRetryable }: Deps) {
  function warningsOf (id: number): Warning[] {
    const { failure: speakersFailure, isSubstitute: hasSubstituteSpeakers = false } = speakers.find(id) ?? {}
    // A job that waits for its first index has no warning about it.
    const index = passages.findIndex(id)
    return [
      ...deriveWarnings({ ...windows.readFacts(id), speakersFailure, hasSubstituteSpeakers }),
      ...(index ? deriveIndexWarning(index) : [])
    ]
  }

  function countSpeakers (id: number): number | undefined {
    if (speakers.find(id)?.state !== 'done') return undefined
    return speakers.list(id).filter(({ mergedInto }) => mergedInto === undefined).length
  }

  /** The names that docx shows. Throws `invalid_request` for other formats, `not_in_plan`. */
  function givenNames (id: number, format: ExportFormat, plan: Plan): ReadonlySet<string> {
    if (format !== 'docx') {
      throw new AppError('invalid_request', 'speakers: only the format docx takes this option. Leave it out, or ask for docx.')
    }
    requireDiarization(plans, plan)
    return new Set(speakers.list(id).flatMap(({ name }) => name ?? []))
  }

  return {
    /** Throws `not_found` when there is no such job, or it belongs to another owner. */
    read (id: number, ownerId: number): JobView {
      const job = findOwnedJob(jobs, id, ownerId)
      const text = job.status === 'completed' ? transcriptText(transcripts.listTexts(id)) : undefined
      const warnings = job.status === 'completed' ? warningsOf(id) : []
      const speakerCount = job.status === 'completed' ? countSpeakers(id) : undefined
      return { ...job, text, warnings, speakerCount, isRetryable: isRetryable(job), webhooks: deliveries.count(id) }
    },
    /**
     * An owner's jobs. Unless `order` says otherwise, the newest and the longest are first, and titles are in order. Throws
     * `invalid_request` for a cursor of another order, and an unknown language.
     */
    list ({ ownerId, limit, sort, order = sort === 'title' ? 'asc' : 'desc', cursor, ...choice }: LibraryPage): LibraryList {
      const parse = (text: string) => sort === 'created' ? { key: parseCursor(text), id: parseCursor(text) } : parsePlaceCursor(sort, text)
      const after = cursor === undefined ? undefined : parse(cursor)
      const isFiltered = [choice.text, choice.tag, choice.language].some((each) => each !== undefined)
      const isPlain = sort === 'created' && order === 'desc' && !isFiltered
      // Read one more, to know whether there is another page.
      const asked = { ownerId, limit: limit + 1 }
      // The plain list has indexes of its own, which find rare states fast.
      const found = isPlain
        ? jobs.listOwned({ ...asked, before: after?.id ?? Number.MAX_SAFE_INTEGER }, choice.status)
          .map((job) => ({ job, place: { key: job.id, id: job.id } }))
        : jobList.list({ ...asked, ...toStored(choice), sort, order, after })
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1)?.place : undefined
      const next = last && (sort === 'created' ? toCursor(last.id) : toPlaceCursor(sort, last))
      return { jobs: page.map(({ job }) => job), next }
    },
    /**
     * Renders on every call and stores nothing. Speakers are included on plans with diarization. `speakers`: docx shows the names that
     * people have given. Throws `not_found`, `not_completed` while there is nothing to export, and with `speakers` `invalid_request` for
     * other formats and `not_in_plan`.
     */
    render (id: number, { ownerId, plan }: Reader, format: ExportFormat, shown?: { speakers: 'names' | undefined }): Export {
      const job = findOwnedJob(jobs, id, ownerId)
      if (job.status !== 'completed') {
        throw new AppError('not_completed', `The transcription is ${job.status}. Only completed transcriptions can be exported.`)
      }
      const segments = transcripts.iterate(id)
      const chunks = FORMATS[format].render({
        id,
        fileName: job.title ?? job.fileName,
        language: job.language === undefined ? undefined : toIsoCode(job.language),
        durationMs: job.durationMs ?? 0,
        ...(job.source === undefined ? {} : { sourceUrl: job.source.url }),
        ...(job.source?.publishedAt === undefined ? {} : { publishedAt: job.source.publishedAt }),
        ...(job.completedAt === undefined ? {} : { completedAt: job.completedAt }),
        warnings: warningsOf(id),
        ...(shown?.speakers === undefined ? {} : { shownSpeakers: givenNames(id, format, plan) }),
        skipped: transcripts.listSkipped(id),
        segments: plans.limitsOf(plan).diarization ? segments : withoutSpeakers(segments)
      })
      const fileName = toExportName(job.title ?? job.fileName, format, `transcription-${id}`)
      return { fileName, contentType: FORMATS[format].contentType, chunks }
    }
  }
}
export type Transcripts = ReturnType<typeof createTranscripts>
