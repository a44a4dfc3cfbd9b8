/** Reads the labelled retrieval set; test/fixtures/search/README.md describes it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SEARCH_SET } from './paths.ts'

export const LANGUAGES = ['en', 'es', 'de'] as const
export type Language = typeof LANGUAGES[number]
export const QUERY_KINDS = [
  'paraphrase', 'question', 'keyword', 'name', 'number', 'misheard', 'distractor', 'broad', 'none'
] as const
export type QueryKind = typeof QUERY_KINDS[number]

export type LabelledPassage = { id: string, speaker: string, text: string }
export type LabelledTranscript = { id: string, kind: string, title: string, language: Language, passages: LabelledPassage[] }
/** `relevant`: ids of passages. `half`: 0 to fit on, 1 to check with. */
export type LabelledQuery = { text: string, kind: QueryKind, language: Language, relevant: string[], half: 0 | 1 }
export type SearchSet = { transcripts: LabelledTranscript[], queries: LabelledQuery[] }

const readLines = (name: string, separator: RegExp): string[] =>
  readFileSync(join(SEARCH_SET, name), 'utf8').split(separator).map((line) => line.trim()).filter((line) => line !== '')

function readTranscripts (language: Language): LabelledTranscript[] {
  const transcripts: LabelledTranscript[] = []
  for (const block of readLines(`passages.${language}.txt`, /\n\n+/)) {
    const line = block.replaceAll('\n', ' ')
    const heading = /^# (\S+) \| (.+?) \| (.+)$/.exec(line)
    if (heading) {
      const [, id = '', kind = '', title = ''] = heading
      transcripts.push({ id, kind, title, language, passages: [] })
      continue
    }
    const [, speaker = '', text = ''] = /^([^:]+): (.+)$/.exec(line) ?? []
    const transcript = transcripts.at(-1)
    if (!transcript || text === '') throw new Error(`passages.${language}.txt: not a passage: ${line.slice(0, 40)}`)
    transcript.passages.push({ id: `${transcript.id}.${transcript.passages.length + 1}`, speaker, text })
  }
  return transcripts
}

/** FNV-1a: an order of queries that has nothing to do with their order in the file, where neighbours are about one transcript. */
function hashOf (text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

function readQueries (language: Language): LabelledQuery[] {
  const queries = readLines(`queries.${language}.txt`, /\n/).map((line) => {
    const [kind = '', text = '', ids = ''] = line.split(' | ')
    const known = QUERY_KINDS.find((name) => name === kind)
    if (!known) throw new Error(`queries.${language}.txt: no such kind: ${line}`)
    return { text, kind: known, language, relevant: ids.split(' ').filter((id) => id !== '') }
  })
  // Every second query of a kind, in the order of their hashes: both halves have as many of each kind.
  return QUERY_KINDS.flatMap((kind) => queries.filter((query) => query.kind === kind)
    .sort((a, b) => hashOf(a.text) - hashOf(b.text))
    .map((query, index) => ({ ...query, half: index % 2 === 0 ? 0 as const : 1 as const })))
}

/** The whole set. Throws when a line is not in the format. */
export function readSearchSet (languages: readonly Language[] = LANGUAGES): SearchSet {
  return { transcripts: languages.flatMap(readTranscripts), queries: languages.flatMap(readQueries) }
}
