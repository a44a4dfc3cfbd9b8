/** Segments of transcripts and their edits: reading in pages, editing, find and replace, revisions, undo. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Static } from 'typebox'
import { parseCursor, toCursor } from '../domain/cursor.js'
import { MAX_SEGMENT_TEXT_LENGTH } from '../domain/edited-words.js'
import { AppError } from '../domain/errors.js'
import { MAX_FIND_LENGTH, MAX_REPLACE_LENGTH } from '../domain/find-replace.js'
import { REVISION_KINDS, toSegmentId } from '../domain/revision.js'
import type { Revision as StoredRevision } from '../domain/revision.js'
import { toSeconds } from '../domain/transcript.js'
import { EditConflict } from '../service/edits.js'
import type { Edits } from '../service/edits.js'
import type { Segments, SegmentStart, SegmentView } from '../service/segments.js'
import { operation } from './contract/operation.js'
import { PageOf, pageQuery } from './contract/paging.js'
import { Id, IdParams, ok, Success, toIsoTime } from './contract/schemas.js'
import { principalOf } from './plugins/auth.js'

const SEGMENTS_PER_PAGE = 500
const MAX_SEGMENTS_PER_PAGE = 2000
const REVISIONS_PER_PAGE = 50
const MAX_SEGMENT_ID_LENGTH = 19
/** More than any recording has; milliseconds of it are exact. */
const MAX_SECONDS = 1e9

const SegmentId = Type.String({ maxLength: MAX_SEGMENT_ID_LENGTH, description: 'the id of a segment, which does not change' })

const SEGMENT_EXAMPLE = {
  id: '3.0', start: 0.3, end: 0.9, text: ' The meeting', revision: 2, edited: true, speaker: 'Ada', speakerLabel: 'Speaker 1',
  words: [
    { word: ' The', start: 0.3, end: 0.45, probability: 0.98 }, { word: ' meeting', start: 0.45, end: 0.9, probability: 1, edited: true }
  ]
}

const EditableSegment = Type.Object({
  id: SegmentId,
  start: Type.Number({ description: 'seconds from the start of the recording' }),
  end: Type.Number(),
  text: Type.String({ description: 'empty if a person has removed all of it; exports leave such segments out' }),
  revision: Type.Integer({ minimum: 0, description: 'the last revision that changed it; 0: none. Send it as `base` with an edit' }),
  edited: Type.Boolean({ description: 'the text is not that of the machine' }),
  speaker: Type.Optional(Type.String({ description: 'who says most of it: a name, or else the label; only on plans with diarization' })),
  speakerLabel: Type.Optional(Type.String({ description: 'by which the speaker is named and merged' })),
  channel: Type.Optional(Type.Integer({ minimum: 1 })),
  words: Type.Array(Type.Object({
    word: Type.String(),
    start: Type.Number(),
    end: Type.Number(),
    probability: Type.Number({ description: 'confidence of the model; 1 if a person wrote it' }),
    edited: Type.Optional(Type.Literal(true, { description: 'the machine wrote something else' })),
    speaker: Type.Optional(Type.String({ description: 'only if it is somebody else than the speaker of the segment' }))
  }, { title: 'EditableWord' }))
}, { title: 'EditableSegment', description: 'The segment.', examples: [SEGMENT_EXAMPLE] })

const SegmentPage = Type.Object({
  revision: Type.Integer({ minimum: 0, description: 'the last revision of the transcription; 0: nobody has changed it' }),
  total: Type.Integer({ minimum: 0, description: 'segments of the transcription' }),
  offset: Type.Integer({ minimum: 0, description: 'segments before this page' }),
  segments: Type.Array(EditableSegment),
  next: Type.Union([Type.String(), Type.Null()], { description: 'send it as `after` to get the next page; null on the last one' })
}, {
  title: 'SegmentPage', description: 'Segments in the order of time.',
  examples: [{ revision: 2, total: 1, offset: 0, segments: [SEGMENT_EXAMPLE], next: null }]
})

const SegmentsQuery = Type.Object({
  after: Type.Optional(Type.String({ maxLength: MAX_SEGMENT_ID_LENGTH, description: 'the segment before the page' })),
  from: Type.Optional(Type.Number({
    minimum: 0,
    maximum: MAX_SECONDS,
    description: 'seconds from the start of the recording: the page begins with the segment that is spoken then, or was spoken last'
  })),
  offset: Type.Optional(Type.Integer({
    minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'the number of segments before the page'
  })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SEGMENTS_PER_PAGE, default: SEGMENTS_PER_PAGE }))
})

const SegmentParams = Type.Object({ id: Id, segmentId: SegmentId })
const EditBody = Type.Object({
  text: Type.String({ maxLength: MAX_SEGMENT_TEXT_LENGTH, description: 'the new text; an empty one removes all words' }),
  base: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'the revision of the segment that was edited' })
}, { title: 'SegmentEdit', additionalProperties: false, examples: [{ text: 'The meeting', base: 0 }] })

const ReplaceBody = Type.Object({
  find: Type.String({ minLength: 1, maxLength: MAX_FIND_LENGTH, description: 'plain text; white space in it finds any white space' }),
  replace: Type.String({ maxLength: MAX_REPLACE_LENGTH }),
  matchCase: Type.Optional(Type.Boolean({ default: false })),
  wholeWords: Type.Optional(Type.Boolean({ default: false })),
  preview: Type.Optional(Type.Boolean({ default: false, description: 'only count' }))
}, { title: 'Replacement', additionalProperties: false, examples: [{ find: 'Jon', replace: 'John', wholeWords: true }] })

const ReplaceReply = Type.Object({
  count: Type.Integer({ minimum: 0, description: 'places where the text is found' }),
  segments: Type.Array(Type.String(), { description: 'ids of the segments with these places' }),
  revision: Type.Union([Type.Integer(), Type.Null()], { description: 'the new revision; null if nothing was changed' })
}, { title: 'Replaced', description: 'What was found, and replaced.', examples: [{ count: 2, segments: ['3.0', '7.1'], revision: 3 }] })

const Revision = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  at: Type.String({ format: 'date-time' }),
  kind: Type.Enum(REVISION_KINDS),
  segments: Type.Integer({ minimum: 0, description: 'how many it changed' }),
  undone: Type.Boolean({ description: 'it was undone' }),
  undoes: Type.Optional(Type.Integer({ description: 'the revision that this one undid' })),
  segmentId: Type.Optional(Type.String({ description: 'only if it changed one segment, as the next two' })),
  before: Type.Optional(Type.String()),
  after: Type.Optional(Type.String())
}, {
  title: 'Revision',
  examples: [{
    number: 2, at: '2026-11-22T09:30:00.000Z', kind: 'edit', segments: 1, undone: false, segmentId: '3.0', before: ' The meat',
    after: ' The meeting'
  }]
})

const UndoBody = Type.Object({
  revision: Type.Optional(Type.Integer({
    minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'absent: the last edit or replacement that is not undone'
  }))
}, { title: 'Undo', additionalProperties: false, examples: [{}] })
const UndoReply = Type.Object({
  revision: Type.Integer({ description: 'the new revision; undoing it brings back what was undone' }),
  undone: Type.Integer({ description: 'the revision that was undone' }),
  segments: Type.Array(Type.String(), { description: 'ids of the changed segments' })
}, { title: 'Undone', description: 'What was undone.', examples: [{ revision: 3, undone: 2, segments: ['3.0'] }] })

/** Throws `invalid_request` for more than one start. */
function toStart ({ after, from, offset }: Static<typeof SegmentsQuery>): SegmentStart {
  const starts: SegmentStart[] = [
    ...(after === undefined ? [] : [{ after }]),
    ...(from === undefined ? [] : [{ fromMs: Math.round(from * 1000) }]),
    ...(offset === undefined ? [] : [{ offset }])
  ]
  if (starts.length > 1) throw new AppError('invalid_request', 'Send only one of after, from and offset.')
  return starts[0] ?? { offset: 0 }
}

function toWire (view: SegmentView): Static<typeof EditableSegment> {
  const { startMs, endMs, isEdited, speaker, speakerLabel, channel, words, ...rest } = view
  return {
    ...rest,
    start: toSeconds(startMs),
    end: toSeconds(endMs),
    edited: isEdited,
    ...(speaker === undefined ? {} : { speaker }),
    ...(speakerLabel === undefined ? {} : { speakerLabel }),
    ...(channel === undefined ? {} : { channel }),
    words: words.map((word) => ({
      word: word.text,
      start: toSeconds(word.startMs),
      end: toSeconds(word.endMs),
      probability: word.probability,
      ...(word.isEdited ? { edited: true as const } : {}),
      ...(word.speaker === undefined ? {} : { speaker: word.speaker })
    }))
  }
}

function toWireRevision ({ number, at, kind, segments, undoes, isUndone, change }: StoredRevision): Static<typeof Revision> {
  return {
    number,
    at: toIsoTime(at),
    kind,
    segments,
    undone: isUndone,
    ...(undoes === undefined ? {} : { undoes }),
    ...(change === undefined ? {} : { segmentId: toSegmentId(change.key), before: change.before, after: change.after })
  }
}

/** A conflict with the segment as JSON has it. */
function explainConflict (error: unknown): unknown {
  if (!(error instanceof EditConflict)) return error
  return new AppError(error.code, error.message, { details: { current: toWire(error.current) } })
}

const courseOf = ({ takeTurn, idempotent }: FastifyRequest) => ({ takeTurn, claim: idempotent?.claim })

export const segmentRoutes: FastifyPluginAsyncTypebox<{ edits: Edits, segments: Segments }> = async (app, { edits, segments }) => {
  app.get('/transcriptions/:id/segments', operation({
    operationId: 'listSegments',
    tag: 'Edits',
    summary: 'Read a transcript in pages, to show and edit it',
    description: 'Segments in the order of time, with their revisions. A page begins at the first segment, after another one (`after`), ' +
      'at a time (`from`) or at a place (`offset`). Exports have the whole transcript at once.',
    caller: 'transcripts:read',
    params: IdParams,
    querystring: SegmentsQuery,
    replies: { 200: Success(SegmentPage) },
    errors: ['not_found', 'not_completed']
  }), async (request) => {
    const { limit = SEGMENTS_PER_PAGE } = request.query
    const start = toStart(request.query)
    const { segments: page, next = null, ...list } = segments.list(request.params.id, principalOf(request), { start, limit })
    return ok({ ...list, segments: page.map(toWire), next })
  })

  app.patch('/transcriptions/:id/segments/:segmentId', operation({
    operationId: 'editSegment',
    tag: 'Edits',
    summary: 'Edit the text of a segment',
    description: 'Words that stay keep their times. New words get the time of the words that they replace, or the time between their ' +
      'neighbours. The words of the machine are kept beside the edited ones. Each edit is a revision and can be undone.',
    caller: 'transcripts:write',
    params: SegmentParams,
    body: EditBody,
    replies: { 200: Success(EditableSegment) },
    errors: ['not_found', 'not_completed', 'edit_conflict']
  }), async (request) => {
    const { id, segmentId } = request.params
    try {
      return ok(toWire(await edits.edit(id, principalOf(request), segmentId, request.body)))
    } catch (error) {
      throw explainConflict(error)
    }
  })

  app.post('/transcriptions/:id/replace', operation({
    operationId: 'replaceText',
    tag: 'Edits',
    summary: 'Find and replace in a transcript',
    description: 'One revision, whatever the number of segments. Text that begins in one segment and ends in the next is not found.',
    caller: 'transcripts:write',
    idempotent: true,
    params: IdParams,
    body: ReplaceBody,
    replies: { 200: Success(ReplaceReply) },
    errors: ['not_found', 'not_completed', 'conflict']
  }), async (request) => {
    const { preview, ...asked } = request.body
    const { revision = null, ...replaced } =
      await edits.replace(request.params.id, principalOf(request), { ...asked, isPreview: preview }, courseOf(request))
    return ok({ ...replaced, revision })
  })

  app.get('/transcriptions/:id/revisions', operation({
    operationId: 'listRevisions',
    tag: 'Edits',
    summary: 'List the changes that people made to a transcript',
    description: 'Newest first. The last 1000 are kept, or fewer if they changed more than 50,000 segments all together.',
    caller: 'transcripts:read',
    params: IdParams,
    querystring: Type.Object(pageQuery(REVISIONS_PER_PAGE)),
    replies: { 200: PageOf('RevisionPage', Revision, 'The revisions, newest first.') },
    errors: ['not_found', 'not_completed']
  }), async (request) => {
    const { limit = REVISIONS_PER_PAGE, cursor } = request.query
    const before = cursor === undefined ? undefined : parseCursor(cursor)
    const found = edits.listRevisions(request.params.id, principalOf(request).ownerId, { before, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { ...ok(page.map(toWireRevision)), nextCursor: last ? toCursor(last.number) : null }
  })

  app.post('/transcriptions/:id/undo', operation({
    operationId: 'undoRevision',
    tag: 'Edits',
    summary: 'Undo a revision',
    description: 'Texts, words and times become exactly what they were. The undo is a revision itself: undoing it brings the change back.',
    caller: 'transcripts:write',
    idempotent: true,
    params: IdParams,
    body: UndoBody,
    replies: { 200: Success(UndoReply) },
    errors: ['not_found', 'not_completed', 'conflict', 'gone']
  }), async (request) =>
    ok(await edits.undo(request.params.id, principalOf(request), request.body.revision, courseOf(request))))
}
