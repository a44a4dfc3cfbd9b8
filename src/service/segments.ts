/** The segments of a transcript, as people read and edit them. */
import { AppError } from '../domain/errors.js'
import type { EditedSegment } from '../domain/revision.js'
import { parseSegmentId, toSegmentId } from '../domain/revision.js'
import { shownNames } from '../domain/speaker-names.js'
import type { TimedWord } from '../domain/transcript.js'
import type { EditStore } from '../store/edits.js'
import type { JobStore } from '../store/jobs.js'
import type { SpeakerStore } from '../store/speakers.js'
import type { Plans } from './plans.js'
import { findOwnedJob } from './transcripts.js'
import type { Reader } from './transcripts.js'

/**
 * Times in ms. `speaker`: the name that people see; of words, only if it is another than that of the segment. `speakerLabel`: the label to
 * name the speaker by. `isEdited`: its text is not the machine's.
 */
export type SegmentView = {
  id: string, startMs: number, endMs: number, text: string, revision: number, isEdited: boolean
  speaker: string | undefined, speakerLabel: string | undefined, channel: number | undefined
  words: Array<Pick<TimedWord, 'text' | 'startMs' | 'endMs' | 'probability'> & { isEdited: boolean, speaker: string | undefined }>
}

/**
 * `revision`: the last one of the transcript. `offset`: segments before the page. `next`: the id after which the next page begins;
 * undefined on the last page.
 */
export type SegmentList = { revision: number, total: number, offset: number, segments: SegmentView[], next: string | undefined }

/** Where a page begins: after a segment, with the segment that is spoken at a time, or after so many segments. */
export type SegmentStart = { after: string } | { fromMs: number } | { offset: number }

type Deps = {
  jobs: Pick<JobStore, 'findOwned'>
  edits: Pick<EditStore, 'page' | 'pageAt' | 'count' | 'countTo' | 'countBegun' | 'lastRevision'>
  speakers: Pick<SpeakerStore, 'list'>
  plans: Pick<Plans, 'limitsOf'>
}

/** A page ends early after so many words: texts that people have made very long would stop the server for seconds. */
const WORDS_PER_PAGE = 40_000
/** Segments that are read at once. */
const READ_AT_ONCE = 16

const keyOf = ({ text, startMs, endMs }: TimedWord): string => `${startMs} ${endMs} ${text.trim()}`

export function createSegments ({ jobs, edits, speakers, plans }: Deps) {
  /** Throws `not_found`, `not_completed`. */
  function requireCompleted (id: number, ownerId: number): void {
    const { status } = findOwnedJob(jobs, id, ownerId)
    if (status === 'completed') return
    throw new AppError('not_completed', `The transcription is ${status}. Only completed transcriptions can be read in segments and edited.`)
  }

  /** How segments of a transcript are shown to a reader: speakers only on plans with diarization. */
  function viewer (jobId: number, { plan }: Reader): (segment: EditedSegment) => SegmentView {
    const list = plans.limitsOf(plan).diarization ? speakers.list(jobId) : undefined
    const names = shownNames(list ?? [])
    const roots = new Map((list ?? []).map(({ number, mergedInto }) => [`Speaker ${number}`, `Speaker ${mergedInto ?? number}`]))
    const nameOf = (label: string | undefined): string | undefined => list && label !== undefined ? names.get(label) ?? label : undefined
    return ({ key, startMs, endMs, text, words, speaker: label, channel, revision, machine }) => {
      const spoken = machine && new Set(machine.words.map(keyOf))
      const speaker = nameOf(label)
      return {
        id: toSegmentId(key),
        startMs,
        endMs,
        text,
        revision,
        isEdited: machine !== undefined,
        speaker,
        speakerLabel: list && label !== undefined ? roots.get(label) ?? label : undefined,
        channel,
        words: words.map((word) => {
          const said = nameOf(word.speaker)
          return {
            text: word.text,
            startMs: word.startMs,
            endMs: word.endMs,
            probability: word.probability,
            isEdited: spoken !== undefined && !spoken.has(keyOf(word)),
            speaker: said === speaker ? undefined : said
          }
        })
      }
    }
  }

  /** The number of segments before a start. Throws `invalid_request` for an unknown `after`. */
  function countBefore (id: number, start: SegmentStart): number {
    if ('offset' in start) return start.offset
    // In a pause, people look for what was said before it.
    if ('fromMs' in start) return Math.max(0, edits.countBegun(id, start.fromMs) - 1)
    const before = edits.countTo(id, parseSegmentId(start.after, 'after'))
    if (before > 0) return before
    throw new AppError('invalid_request', 'after: the transcription has no segment with this id. Leave it out to begin with the first one.')
  }

  /** Segments from a place on: `limit` of them, or fewer when they have many words. */
  function readPage (id: number, offset: number, limit: number): EditedSegment[] {
    const found: EditedSegment[] = []
    let words = 0
    while (found.length < limit && words < WORDS_PER_PAGE) {
      const count = Math.min(READ_AT_ONCE, limit - found.length)
      const last = found.at(-1)
      const part = last ? edits.page(id, last.key, count) : edits.pageAt(id, offset, count)
      if (part.length === 0) break
      found.push(...part)
      words += part.reduce((sum, segment) => sum + segment.words.length, 0)
    }
    return found
  }

  return {
    requireCompleted,
    viewer,
    /** A page of segments in the order of time. Throws `not_found`, `not_completed`, and `invalid_request` for an unknown `after`. */
    list (id: number, reader: Reader, { start, limit }: { start: SegmentStart, limit: number }): SegmentList {
      requireCompleted(id, reader.ownerId)
      const total = edits.count(id)
      const offset = Math.min(total, countBefore(id, start))
      const page = readPage(id, offset, limit).map(viewer(id, reader))
      return {
        revision: edits.lastRevision(id),
        total,
        offset,
        segments: page,
        next: offset + page.length < total ? page.at(-1)?.id : undefined
      }
    }
  }
}
export type Segments = ReturnType<typeof createSegments>
