/** Edits of transcripts by people. Each is a revision that can be undone; the machine's words stay beside it. */
import {
  countWords, editWords, isTextOf, leadOf, MAX_SEGMENT_TEXT_LENGTH, MAX_SEGMENT_WORDS, toSegmentText
} from '../domain/edited-words.js'
import { AppError } from '../domain/errors.js'
import { MAX_REPLACE_LENGTH, replaceIn, toPattern } from '../domain/find-replace.js'
import type { Finding } from '../domain/find-replace.js'
import type { RequestClaim } from '../domain/idempotency.js'
import { requireLength } from '../domain/lengths.js'
import { parseSegmentId, toSegmentId } from '../domain/revision.js'
import type { EditedSegment, Revision, SegmentKey } from '../domain/revision.js'
import type { InTransaction } from '../store/database.js'
import type { EditStore, NewText } from '../store/edits.js'
import type { IdempotencyStore } from '../store/idempotency.js'
import type { JobStore } from '../store/jobs.js'
import { createInterruptedEdits } from './interrupted-edits.js'
import type { Segments, SegmentView } from './segments.js'
import { workFor } from './slices.js'
import type { Reader } from './transcripts.js'
import { createTurns } from './turns.js'

type Deps = {
  jobs: Pick<JobStore, 'touch'>
  edits: EditStore
  requests: Pick<IdempotencyStore, 'findRevision' | 'setRevision'>
  segments: Pick<Segments, 'requireCompleted' | 'viewer'>
  inTransaction: InTransaction
  now: () => number
}

/** `base`: the revision of the segment that the person saw. */
export type SegmentEdit = { text: string, base: number }
/** `isPreview`: nothing is changed. */
export type Replacement = Finding & { replace: string, isPreview?: boolean | undefined }
/** `count`: places found. `revision`: undefined when nothing was changed. */
export type Replaced = { count: number, segments: string[], revision: number | undefined }
/** `revision`: the new one. `undone`: the one that it undid. */
export type Undone = { revision: number, undone: number, segments: string[] }
type RevisionPage = { before: number | undefined, limit: number }
/** `takeTurn` resolves when other requests have had a turn. `claim`: of a request with an Idempotency-Key. */
type Course = { takeTurn: () => Promise<void>, claim?: RequestClaim | undefined }
type TakeTurn = Course['takeTurn']

/** The segment has changed since the person saw it. */
export class EditConflict extends AppError {
  readonly current: SegmentView

  constructor (current: SegmentView) {
    super('edit_conflict', 'The segment has changed since you saw it. Compare your text with the current one and send it again.')
    this.current = current
  }
}

/** Other requests get a turn after so many ms of work. A commit takes about as long again. */
const SLICE_MS = 15
/** Segments that are read at once. */
const PAGE_LENGTH = 64
const KEYS_AT_ONCE = 1000

/** The words for a text that a person typed. Undefined when that is the text it has. */
function typeOver (segment: EditedSegment, typed: string, revision: number): NewText | undefined {
  if (isTextOf(typed, segment.words)) return undefined
  const { machine } = segment
  if (machine && isTextOf(typed, machine.words)) return { ...machine, content: revision, isMachine: true }
  const before = segment.words.length > 0 ? segment.words : machine?.words ?? []
  const words = editWords(segment, before, typed, leadOf(machine?.text ?? segment.text, typed))
  return { text: words.map(({ text }) => text).join(''), words, content: revision, isMachine: false }
}

/** Throws `invalid_request` for a text that is too long for one segment: pages of such segments, and their index, would stop the server. */
function requireFits (text: string, field: string): void {
  requireLength(text, { min: 0, max: MAX_SEGMENT_TEXT_LENGTH }, field)
  if (countWords(text) > MAX_SEGMENT_WORDS) {
    throw new AppError('invalid_request', `${field}: a segment can have at most ${MAX_SEGMENT_WORDS} words`)
  }
}

export function createEdits ({ jobs, edits, requests, segments, inTransaction, now }: Deps) {
  const interrupted = createInterruptedEdits({ edits, requests, now })
  const changeListeners: Array<(id: number) => void> = []
  /** One change of a transcript after the other: a long one is made in pieces. */
  const inTurn = createTurns()

  function changed (id: number): void {
    jobs.touch(id, now())
    for (const listener of changeListeners) listener(id)
  }

  /**
   * Carries out `step` for each item in transactions of a few ms, with turns of other requests between them. An error ends it; what was
   * committed stays, as a part of its revision.
   */
  async function inSlices<T> (id: number, ownerId: number, items: Iterator<T>, takeTurn: TakeTurn, step: (item: T) => void): Promise<void> {
    const carryOut = (): boolean => {
      const next = items.next()
      if (!next.done) step(next.value)
      return !next.done
    }
    for (let isMore = true; isMore;) {
      inTransaction(() => {
        segments.requireCompleted(id, ownerId)
        isMore = workFor(SLICE_MS, carryOut)
        changed(id)
      })
      if (isMore) await takeTurn()
    }
  }

  /** Every segment of a transcript with text. */
  function * iterate (id: number): Generator<EditedSegment> {
    for (let after: SegmentKey | undefined, page: EditedSegment[]; ; after = page.at(-1)?.key) {
      page = edits.page(id, after, PAGE_LENGTH)
      yield * page
      if (page.length < PAGE_LENGTH) return
    }
  }

  /** The places where a text was found before revision `begun`. Throws `invalid_request` when a segment would become too long. */
  async function find (id: number, { replace, ...finding }: Replacement, takeTurn: TakeTurn, begun: number | undefined) {
    const pattern = toPattern(finding)
    requireLength(replace, { min: 0, max: MAX_REPLACE_LENGTH }, 'replace')
    const found: SegmentKey[] = []
    let count = 0
    let until = performance.now() + SLICE_MS
    for (const segment of iterate(id)) {
      const text = interrupted.textBefore(id, segment, begun)
      const replaced = replaceIn(text, pattern, toSegmentText(replace))
      if (replaced.count > 0) found.push(segment.key)
      count += replaced.count
      if (replaced.count > 0 && replaced.text.length > text.length) requireFits(replaced.text, 'replace')
      if (performance.now() < until) continue
      await takeTurn()
      until = performance.now() + SLICE_MS
    }
    return { pattern, count, found }
  }

  async function replaceAll (id: number, { ownerId }: Reader, asked: Replacement, { takeTurn, claim }: Course): Promise<Replaced> {
    segments.requireCompleted(id, ownerId)
    let revision = interrupted.find(id, claim)?.number
    const { pattern, count, found } = await find(id, asked, takeTurn, revision)
    const ids = found.map(toSegmentId)
    if (asked.isPreview || found.length === 0) return { count, segments: ids, revision: undefined }
    await inSlices(id, ownerId, found.values(), takeTurn, (key) => {
      const segment = edits.find(id, key)
      // Changed before the request was interrupted.
      if (segment?.revision === revision) return
      const { text = '' } = segment ? replaceIn(segment.text, pattern, toSegmentText(asked.replace)) : {}
      const number: number = revision ?? edits.lastRevision(id) + 1
      const to = segment && typeOver(segment, text, number)
      if (!to) return
      revision ??= interrupted.begin(id, claim, 'replace')
      edits.change(id, number, segment, to)
    })
    if (revision !== undefined) edits.prune(id)
    return { count, segments: ids, revision }
  }

  /** Throws `conflict`, `not_found`, `gone`. */
  function requireUndoable (id: number, asked: number | undefined): Revision {
    const number = asked ?? edits.findLatest(id)
    if (number === undefined) throw new AppError('conflict', 'There is nothing to undo.')
    const revision = edits.findRevision(id, number)
    if (!revision && number > edits.lastRevision(id)) throw new AppError('not_found', 'There is no such revision.')
    if (!revision) throw new AppError('gone', 'This revision is too old and can no longer be undone.')
    if (revision.isUndone) throw new AppError('conflict', `Revision ${number} was undone already.`)
    return revision
  }

  /** The segments of a revision. Throws `conflict` when one of them has other text by now, and not by revision `begun`. */
  async function listUnchanged (id: number, number: number, takeTurn: TakeTurn, begun: number | undefined): Promise<SegmentKey[]> {
    const found: SegmentKey[] = []
    for (let page = edits.listKeys(id, number, undefined, KEYS_AT_ONCE); page.length > 0;) {
      if (page.some(({ hasChanged, revision }) => hasChanged && revision !== begun)) {
        throw new AppError('conflict', `Later revisions changed the same text. Undo them before revision ${number}.`)
      }
      found.push(...page.map(({ windowIdx, idx }) => ({ windowIdx, idx })))
      await takeTurn()
      page = edits.listKeys(id, number, page.at(-1), KEYS_AT_ONCE)
    }
    return found
  }

  async function undo (id: number, { ownerId }: Reader, asked: number | undefined, { takeTurn, claim }: Course): Promise<Undone> {
    segments.requireCompleted(id, ownerId)
    const begun = interrupted.find(id, claim)
    let revision = begun?.number
    // Pruning follows a complete undo. So if the undone revision is gone, nothing is left to undo; the undo itself has the same segments.
    const target = begun ? edits.findRevision(id, begun.undoes ?? 0) ?? begun : requireUndoable(id, asked)
    const keys = await listUnchanged(id, target.number, takeTurn, revision)
    function begin (): number {
      const number = interrupted.begin(id, claim, 'undo', target.number)
      edits.setUndone(id, target.number, number)
      // An undo of an undo brings a change back, and takes back what that change undid.
      let isUndone = true
      for (let each: Revision | undefined = target; each?.undoes !== undefined; each = edits.findRevision(id, each.undoes)) {
        isUndone = !isUndone
        edits.setUndone(id, each.undoes, isUndone ? each.number : undefined)
      }
      return number
    }
    await inSlices(id, ownerId, keys.values(), takeTurn, (key) => {
      const segment = edits.find(id, key)
      if (segment?.revision === revision) return
      const to = segment && edits.findBefore(id, target.number, segment)
      if (to) edits.change(id, revision ??= begin(), segment, to)
    })
    edits.prune(id)
    return { revision: revision ?? edits.lastRevision(id), undone: begun?.undoes ?? target.number, segments: keys.map(toSegmentId) }
  }

  return {
    /**
     * Replaces the text of a segment. Words that stay keep their times. The same text again changes nothing. Throws `not_found`,
     * `not_completed`, `invalid_request`, and `EditConflict` when it was changed since `base`.
     */
    edit: async (id: number, reader: Reader, segmentId: string, { text, base }: SegmentEdit): Promise<SegmentView> => await inTurn(id,
      async () => inTransaction(() => {
        segments.requireCompleted(id, reader.ownerId)
        const key = parseSegmentId(segmentId, 'segmentId')
        requireFits(text, 'text')
        const view = segments.viewer(id, reader)
        const segment = edits.find(id, key)
        if (!segment) throw new AppError('not_found', 'The transcription has no such segment.')
        if (segment.revision !== base) throw new EditConflict(view(segment))
        const number = edits.lastRevision(id) + 1
        const to = typeOver(segment, text, number)
        if (!to) return view(segment)
        edits.begin(id, 'edit', now())
        edits.change(id, number, segment, to)
        edits.prune(id)
        changed(id)
        return view(edits.find(id, key) ?? segment)
      })),
    /**
     * Replaces a text wherever it is found, as one revision. Text is found inside segments only. Throws `not_found`, `not_completed`,
     * `invalid_request`, and `conflict` when it was interrupted and cannot be completed.
     */
    replace: async (id: number, reader: Reader, asked: Replacement, course: Course): Promise<Replaced> =>
      await inTurn(id, async () => await replaceAll(id, reader, asked, course)),
    /**
     * Undoes a revision, or the last one that is not undone. Texts, words and times are exactly what they were. Throws `not_found`,
     * `not_completed`, `gone`, and `conflict` when there is nothing to undo, or when later revisions changed the same segments.
     */
    undo: async (id: number, reader: Reader, asked: number | undefined, course: Course): Promise<Undone> =>
      await inTurn(id, async () => await undo(id, reader, asked, course)),
    /** Revisions before number `before`, newest first. Throws `not_found`, `not_completed`. */
    listRevisions (id: number, ownerId: number, { before = Number.MAX_SAFE_INTEGER, limit }: RevisionPage): Revision[] {
      segments.requireCompleted(id, ownerId)
      return edits.listRevisions(id, before, limit)
    },
    /** Calls `listener` with the id of a transcription whose text was changed, in the transaction of the change. */
    onChanged (listener: (id: number) => void): void {
      changeListeners.push(listener)
    }
  }
}
export type Edits = ReturnType<typeof createEdits>
