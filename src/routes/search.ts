/** Search of the library. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { AppError } from '../domain/errors.js'
import type { LibraryFilter } from '../domain/library-search.js'
import { MAX_LANGUAGE_LENGTH } from '../domain/submission.js'
import { parseTime } from '../domain/time.js'
import { toSeconds } from '../domain/transcript.js'
import { requireDiarization } from '../service/plans.js'
import type { Plans } from '../service/plans.js'
import { DEFAULT_MIN_SCORE, SEARCH_LIMIT } from '../service/search.js'
import type { Search, SearchHit } from '../service/search.js'
import { operation } from './contract/operation.js'
import { Id, ok, Success } from './contract/schemas.js'
import { principalOf } from './plugins/auth.js'

const MAX_FILTER_LENGTH = 2048
const MAX_TIME_LENGTH = 64

const Time = (description: string) => Type.Optional(Type.String({
  maxLength: MAX_TIME_LENGTH,
  examples: ['2026-11-22', '2026-11-22T09:30:00Z'],
  description: `${description}: a date (its start in UTC) or a date-time of RFC 3339`
}))

const SearchQuery = Type.Object({
  q: Type.String({ description: 'what to look for, in plain words; there are no operators. Only its beginning counts if it is very long' }),
  limit: Type.Optional(Type.Integer({
    minimum: SEARCH_LIMIT.min, maximum: SEARCH_LIMIT.max, default: SEARCH_LIMIT.default, description: 'the most results'
  })),
  minScore: Type.Optional(Type.Number({
    minimum: 0, maximum: 1, default: DEFAULT_MIN_SCORE, description: 'results with a lower score are left out'
  })),
  language: Type.Optional(Type.String({
    minLength: 1, maxLength: MAX_LANGUAGE_LENGTH, description: 'only transcriptions in this language: a code or an English name'
  })),
  speaker: Type.Optional(Type.String({
    minLength: 1,
    maxLength: MAX_FILTER_LENGTH,
    description: 'only passages in which this speaker talks, as the transcript names them; on plans with diarization'
  })),
  from: Time('only transcriptions created at this time or later'),
  before: Time('only transcriptions created before this time'),
  sourceUrl: Type.Optional(Type.String({
    minLength: 1, maxLength: MAX_FILTER_LENGTH, description: 'only transcriptions of this URL, as results show it'
  }))
})

const Highlight = Type.Object({
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 0, description: 'exclusive' })
}, { title: 'Highlight' })

const Result = Type.Object({
  transcriptionId: Id,
  score: Type.Number({ minimum: 0, maximum: 1, description: 'how certain it is that the passage is about the query' }),
  snippet: Type.String({ description: 'plain text of the best passage' }),
  highlights: Type.Array(Highlight, {
    description: 'where words of the query are in the snippet, in UTF-16 code units, as JavaScript and Java count; in order'
  }),
  sourceUrl: Type.Optional(Type.String({ description: 'absent for uploads' })),
  title: Type.String({ description: 'the title of the recording, or its file name' }),
  timestampSeconds: Type.Number({ minimum: 0, description: 'where the matching sentence begins' })
}, { title: 'LibrarySearchResult' })

const SearchReply = Type.Object({
  query: Type.String(),
  results: Type.Array(Result, { description: 'one for each transcription, best first' }),
  total: Type.Integer({ minimum: 0, description: 'number of results' })
}, {
  title: 'LibrarySearch',
  description: 'What was found.',
  examples: [{
    query: 'decision about the spending plan',
    results: [{
      transcriptionId: 42,
      score: 0.912,
      snippet: 'After a long debate, the board approved the new budget.',
      highlights: [],
      title: 'board-meeting.mp3',
      timestampSeconds: 312.4
    }],
    total: 1
  }]
})

/** Throws `invalid_request` for a time that is none. */
function toTime (name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseTime(text)
  if (time === undefined) {
    throw new AppError('invalid_request', `${name}: not a time. Give a date or a time with its zone: 2026-11-22, 2026-11-22T09:30:00Z ` +
      'or 2026-11-22T10:30:00+01:00. In a URL, write + as %2B.')
  }
  return time
}

const toFilter = ({ language, speaker, from, before, sourceUrl }: Static<typeof SearchQuery>): LibraryFilter =>
  ({ language, speaker, fromAt: toTime('from', from), beforeAt: toTime('before', before), sourceUrl })

const toResult = ({ timestampMs, sourceUrl, ...hit }: SearchHit): Static<typeof Result> =>
  ({ ...hit, ...(sourceUrl === undefined ? {} : { sourceUrl }), timestampSeconds: toSeconds(timestampMs) })

type Deps = { search: Pick<Search, 'search'>, plans: Pick<Plans, 'limitsOf'> }

export const searchRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { search, plans }) => {
  app.get('/library/search', operation({
    operationId: 'searchLibrary',
    tag: 'Library',
    summary: 'Search the library',
    description: 'Finds completed transcriptions of the owner by meaning and by words, and shows the best passage of each.',
    caller: 'library:search',
    querystring: SearchQuery,
    replies: { 200: Success(SearchReply) },
    errors: ['not_in_plan']
  }), async (request) => {
    const { q, limit, minScore, speaker } = request.query
    const { ownerId, plan } = principalOf(request)
    if (speaker !== undefined) requireDiarization(plans, plan)
    const filter = toFilter(request.query)
    const asked = { query: q, filter, ...(limit === undefined ? {} : { limit }), ...(minScore === undefined ? {} : { minScore }) }
    const hits = await search.search(ownerId, asked)
    return ok({ query: q, results: hits.map(toResult), total: hits.length })
  })
}
