/** Cuts a transcript into pieces that fit into a model's context. Every word is in a piece. */
import type { ArtifactSource, SentenceSpan } from '../../../domain/artifact.js'
import { toLine } from '../../../domain/text-words.js'

/** A line of a prompt: a sentence, or a piece of one that is very long. */
export type Line = { sentence: number, text: string, tokens: number }
/** Lines that are shown to the model together, and the sentences they belong to. */
export type Chunk = SentenceSpan & { lines: readonly Line[] }

/** Tokens of "[123] " and the line break. */
const NUMBER_TOKENS = 8

type CountTokens = (texts: readonly string[]) => Promise<number[]>

/** Halves of a text, between two words if it has some. */
function halve (text: string): [string, string] {
  const middle = Math.ceil(text.length / 2)
  const space = text.indexOf(' ', middle)
  // Never between the halves of a surrogate pair.
  const cut = space > 0 ? space : middle + (/[\uDC00-\uDFFF]/.test(text[middle] ?? '') ? 1 : 0)
  return [text.slice(0, cut).trim(), text.slice(cut).trim()]
}

/** The sentences as lines of at most `limit` tokens. */
export async function toLines ({ sentences }: ArtifactSource, limit: number, countTokens: CountTokens): Promise<Line[]> {
  let lines = sentences.map(({ text }, sentence) => ({ sentence, text: toLine(text), tokens: 0 }))
  for (;;) {
    const counts = await countTokens(lines.map(({ text }) => text))
    lines = lines.map((line, index) => ({ ...line, tokens: (counts[index] ?? 0) + NUMBER_TOKENS }))
    if (lines.every(({ text, tokens }) => tokens <= limit || text.length < 2)) return lines
    lines = lines.flatMap((line) => line.tokens <= limit || line.text.length < 2
      ? [line]
      : halve(line.text).filter((text) => text !== '').map((text) => ({ ...line, text })))
  }
}

/** Cuts lines into at least `least` chunks of at most `budget` tokens, about equally long. */
export function cutChunks (lines: readonly Line[], budget: number, least = 1): Chunk[] {
  const total = lines.reduce((sum, { tokens }) => sum + tokens, 0)
  const share = Math.min(budget, total / Math.max(least, Math.ceil(total / budget)))
  const chunks: Line[][] = [[]]
  let used = 0
  let before = 0
  for (const line of lines) {
    const isFull = used + line.tokens > budget || before >= share * chunks.length
    if (isFull && used > 0) {
      chunks.push([])
      used = 0
    }
    chunks.at(-1)?.push(line)
    used += line.tokens
    before += line.tokens
  }
  return chunks.flatMap((held) => {
    const [first, last] = [held[0], held.at(-1)]
    return first && last ? [{ first: first.sentence, last: last.sentence, lines: held }] : []
  })
}

/** Cuts a span of sentences into `count` parts of about the same number of sentences; fewer if it has fewer sentences. */
export function cutSpan ({ first, last }: SentenceSpan, count: number): SentenceSpan[] {
  const length = last - first + 1
  const parts = Math.max(1, Math.min(count, length))
  return Array.from({ length: parts }, (_, index) => ({
    first: first + Math.floor(index * length / parts),
    last: first + Math.floor((index + 1) * length / parts) - 1
  }))
}

/** Distributes `count` parts over chunks by their number of sentences; each chunk gets at least one. */
export function shareParts (chunks: readonly Chunk[], count: number): SentenceSpan[][] {
  const total = chunks.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  let before = 0
  return chunks.map((chunk) => {
    const from = Math.round(count * before / total)
    before += chunk.last - chunk.first + 1
    return cutSpan(chunk, Math.round(count * before / total) - from)
  })
}
