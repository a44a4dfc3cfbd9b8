/** What is made from transcripts: summary, chapters, quotes, show notes, thread, blog post. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { Static } from 'typebox'
import { ARTIFACT_MODES } from '../domain/artifact.js'
import type { Artifact, StoredMode } from '../domain/artifact.js'
import { toSeconds } from '../domain/transcript.js'
import type { Artifacts } from '../service/artifacts.js'
import { operation } from './contract/operation.js'
import type { Operation } from './contract/operation.js'
import { IdParams, ok, Success, toIsoTime } from './contract/schemas.js'
import { principalOf } from './plugins/auth.js'

/** The reply header that names the engine. */
const ENGINE_HEADER = 'x-stenobox-engine'

const Seconds = Type.Number({ minimum: 0, description: 'from the start of the recording' })

const ArtifactChapter = Type.Object({ title: Type.String(), startSeconds: Seconds }, { title: 'Chapter' })

const ArtifactQuote = Type.Object({
  text: Type.String({ description: 'verbatim' }),
  startSeconds: Seconds,
  endSeconds: Seconds,
  speaker: Type.Optional(Type.String({ description: 'only on plans with diarization' }))
}, { title: 'Quote' })

const artifactOf = (title: string, description: string, example: Static<typeof ArtifactFields>) =>
  Type.Object(ArtifactFields.properties, { title, description, examples: [example] })

const ArtifactFields = Type.Object({
  mode: Type.Enum(ARTIFACT_MODES),
  content: Type.String({ description: 'text to paste; Markdown for quotes, show-notes and blog' }),
  generatedAt: Type.String({ format: 'date-time' }),
  chapters: Type.Optional(Type.Array(ArtifactChapter, { description: 'only for chapters' })),
  quotes: Type.Optional(Type.Array(ArtifactQuote, { description: 'only for quotes' }))
})

const generatedAt = '2026-11-21T09:31:00.000Z'
const SUMMARY = artifactOf('Summary', 'The summary: 3 to 5 sentences.', {
  mode: 'summary', content: 'The meeting starts at nine.', generatedAt
})
const CHAPTERS = artifactOf('Chapters', 'The chapters, in order of time; the first starts at 0.', {
  mode: 'chapters', content: '00:00 The meeting', generatedAt, chapters: [{ title: 'The meeting', startSeconds: 0 }]
})
const QUOTES = artifactOf('Quotes', 'The quotes, in order of time, with the times of their words.', {
  mode: 'quotes',
  content: '> “The meeting starts at nine.” (00:00)',
  generatedAt,
  quotes: [{ text: 'The meeting starts at nine.', startSeconds: 0.3, endSeconds: 2.7 }]
})
const REPURPOSED = artifactOf('Artifact', 'The artifact.', {
  mode: 'thread', content: '1/2 The meeting: the main points in one thread\n\n2/2 The meeting starts at nine.', generatedAt
})

const RepurposeBody = Type.Object({ mode: Type.Enum(ARTIFACT_MODES) }, { additionalProperties: false, examples: [{ mode: 'thread' }] })

function toReply ({ mode, content, generatedAt, chapters, quotes }: Artifact): Static<typeof ArtifactFields> {
  return {
    mode,
    content,
    generatedAt: toIsoTime(generatedAt),
    ...(chapters && { chapters: chapters.map(({ title, startMs }) => ({ title, startSeconds: toSeconds(startMs) })) }),
    ...(quotes && {
      quotes: quotes.map(({ startMs, endMs, ...quote }) => ({ ...quote, startSeconds: toSeconds(startMs), endSeconds: toSeconds(endMs) }))
    })
  }
}

const send = async (reply: FastifyReply, artifact: Artifact): Promise<FastifyReply> =>
  await reply.header(ENGINE_HEADER, artifact.engine).send(ok(toReply(artifact)))

const STORED_NOTE = 'Made at the first call and stored; later calls return the stored one. A change of the transcript drops it. ' +
  `The header ${ENGINE_HEADER} names the engine: llm or extractive.`

const shared = { tag: 'Artifacts', caller: 'ai:transform', params: IdParams, errors: ['not_found', 'not_completed', 'gone'] } as const

const STORED: Record<StoredMode, Operation> = {
  summary: {
    ...shared, operationId: 'getTranscriptSummary', summary: 'Get the summary', description: STORED_NOTE, replies: { 200: Success(SUMMARY) }
  },
  chapters: {
    ...shared,
    operationId: 'getTranscriptChapters',
    summary: 'Get the chapters',
    description: STORED_NOTE,
    replies: { 200: Success(CHAPTERS) }
  },
  quotes: {
    ...shared, operationId: 'getTranscriptQuotes', summary: 'Get quotes', description: STORED_NOTE, replies: { 200: Success(QUOTES) }
  }
}

type Deps = { artifacts: Pick<Artifacts, 'read' | 'repurpose'> }

export const artifactRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { artifacts }) => {
  for (const mode of ['summary', 'chapters', 'quotes'] as const) {
    app.post(`/transcriptions/:id/${mode}`, operation({ ...STORED[mode], params: IdParams }), async (request, reply) =>
      await send(reply, await artifacts.read(request.params.id, principalOf(request), mode)))
  }

  app.post('/transcriptions/:id/repurpose', operation({
    ...shared,
    operationId: 'repurposeTranscript',
    summary: 'Make a summary, chapters, quotes, show notes, a thread or a blog post',
    description: 'Made at every call and not stored. Takes at most about 15 seconds. ' +
      `The header ${ENGINE_HEADER} names the engine: llm or extractive.`,
    body: RepurposeBody,
    replies: { 200: Success(REPURPOSED) }
  }), async (request, reply) =>
    await send(reply, await artifacts.repurpose(request.params.id, principalOf(request), request.body.mode)))
}
