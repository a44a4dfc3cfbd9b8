/** Changes that people make to transcripts, and segments as people edit them. */
import { AppError } from './errors.js'
import type { TimedSegment, TimedWord } from './transcript.js'

export const REVISION_KINDS = ['edit', 'replace', 'undo'] as const
export type RevisionKind = typeof REVISION_KINDS[number]

/** Where a segment is in its transcript. It never changes. */
export type SegmentKey = { windowIdx: number, idx: number }

/** What a segment said before people changed it. */
export type MachineText = { text: string, words: TimedWord[] }

/**
 * A segment with its stored labels. `revision`: the last one that changed it, 0 if none. `content`: the one that its text comes from.
 * `machine`: undefined while its text is the machine's.
 */
export type EditedSegment = TimedSegment & { key: SegmentKey, revision: number, content: number, labelling: number, machine?: MachineText }

/**
 * `segments`: how many it changed. `undoes`: the revision that an undo undid. `isUndone`: it was undone, and the undo was not undone.
 * `change`: of a revision of a single segment.
 */
export type Revision = {
  number: number, kind: RevisionKind, at: number, segments: number, undoes: number | undefined, isUndone: boolean
  change: { key: SegmentKey, before: string, after: string } | undefined
}

export const toSegmentId = ({ windowIdx, idx }: SegmentKey): string => `${windowIdx}.${idx}`

/** Throws `invalid_request` for text that is no id of a segment. */
export function parseSegmentId (id: string, field: string): SegmentKey {
  const [, windowIdx, idx] = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(id) ?? []
  if (windowIdx === undefined || idx === undefined) throw new AppError('invalid_request', `${field}: not the id of a segment, such as 3.0`)
  return { windowIdx: Number(windowIdx), idx: Number(idx) }
}
