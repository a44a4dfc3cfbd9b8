/** `stenobox search`: searches the library of an owner in the data directory, whether or not the server is running. */
import { Command, InvalidArgumentError } from 'commander'
import { createSearchTools } from '../wiring/tools.js'
import { readConfig } from '../config.js'
import { createLogger } from '../logger.js'
import { DEFAULT_MIN_SCORE, SEARCH_LIMIT } from '../service/search.js'
import type { SearchHit } from '../service/search.js'
import { DEFAULT_OWNER } from '../domain/access.js'
import type { LibraryFilter } from '../domain/library-search.js'
import { formatClock, parseTime } from '../domain/time.js'
import { parseName } from './keys.js'

type Options = {
  owner: string, limit: number, minScore: number, json?: true
  language?: string, speaker?: string, from?: number, before?: number, source?: string
}

function parseLimit (text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= SEARCH_LIMIT.min && limit <= SEARCH_LIMIT.max) return limit
  throw new InvalidArgumentError(`Give a whole number from ${SEARCH_LIMIT.min} to ${SEARCH_LIMIT.max}.`)
}

function parseScore (text: string): number {
  const score = Number(text)
  if (text.trim() !== '' && score >= 0 && score <= 1) return score
  throw new InvalidArgumentError('Give a number from 0 to 1.')
}

function parseDate (text: string): number {
  const time = parseTime(text)
  if (time !== undefined) return time
  throw new InvalidArgumentError('Give a date or a time with its zone: 2026-11-22, 2026-11-22T09:30:00Z or 2026-11-22T10:30:00+01:00.')
}

const toFilter = ({ language, speaker, from, before, source }: Options): LibraryFilter =>
  ({ language, speaker, fromAt: from, beforeAt: before, sourceUrl: source })

function show ({ transcriptionId, score, title, timestampMs, snippet }: SearchHit): void {
  console.log(`${score.toFixed(2)}  ${transcriptionId}  ${formatClock(timestampMs)}  ${title}`)
  console.log(`      ${snippet}`)
}

const toJson = ({ timestampMs, ...hit }: SearchHit) => ({ ...hit, timestampSeconds: timestampMs / 1000 })

async function search (words: string[], options: Options): Promise<void> {
  const { owner, limit, minScore, json } = options
  const tools = createSearchTools(readConfig(), createLogger('error'))
  try {
    const hits = await tools.search.search(tools.keys.requireOwner(owner), {
      query: words.join(' '), limit, minScore, filter: toFilter(options)
    })
    if (json) console.log(JSON.stringify(hits.map(toJson), null, 2))
    else if (hits.length === 0) console.error('Nothing was found. A lower --min-score shows more.')
    else for (const hit of hits) show(hit)
  } finally {
    await tools.close()
  }
}

export function searchCommand (): Command {
  return new Command('search')
    .description('search transcripts by meaning and by words')
    .argument('<query...>', 'what to look for, in plain words')
    .option('--owner <owner>', 'whose recordings', parseName, DEFAULT_OWNER)
    .option('--limit <number>', 'the most results', parseLimit, SEARCH_LIMIT.default)
    .option('--min-score <number>', 'leave out results with a lower score, 0 to 1', parseScore, DEFAULT_MIN_SCORE)
    .option('--language <language>', 'only transcriptions in this language: a code or an English name')
    .option('--speaker <name>', 'only where this speaker talks, as the transcript names them')
    .option('--from <date>', 'only transcriptions created then or later', parseDate)
    .option('--before <date>', 'only transcriptions created before then', parseDate)
    .option('--source <url>', 'only the transcription of this address')
    .option('--json', 'print JSON')
    .action(search)
}
