/** What every artifact engine must do. Run it with each engine. */
import type { Test } from 'tap'
import { leastLength } from '../../../dist/domain/artifact-draft.js'
import { ArtifactError } from '../../../dist/domain/artifact-error.js'
import { ARTIFACT_LENGTHS, ARTIFACT_MODES, MAX_POST_LENGTH } from '../../../dist/domain/artifact.js'
import type { ArtifactContent, ArtifactMode, ArtifactSource } from '../../../dist/domain/artifact.js'
import { countWords, splitSentences } from '../../../dist/domain/text-words.js'
import type { ArtifactEngine } from '../../../dist/engine/text/artifact-engine.js'
import { finishArtifact } from '../../../dist/formats/artifact.js'
import { ODD_SOURCES, readSpoken } from '../artifact-sources.ts'

/** How far a quote's times may be from those of its words. */
const TOLERANCE_MS = 300

/** Faults of the chapters of any recording. */
function findChapterFaults ({ chapters = [] }: ArtifactContent, source: ArtifactSource): string[] {
  return chapters.flatMap(({ title, startMs }, index) => [
    ...(index === 0 && startMs !== 0 ? [`the first starts at ${startMs}`] : []),
    ...(index > 0 && startMs <= (chapters[index - 1]?.startMs ?? 0) ? [`${index} does not start after the one before it`] : []),
    ...(startMs < 0 || startMs > source.durationMs ? [`${index} lies outside the recording`] : []),
    ...(title.trim() === '' || title.includes('\n') ? [`${index} has the title "${title}"`] : [])
  ])
}

/** Faults of quotes: words that were not said, and times that are not theirs. */
export function findQuoteFaults ({ quotes = [] }: ArtifactContent, { sentences }: ArtifactSource): string[] {
  const words = sentences.flatMap((sentence) => sentence.words)
  const starts: number[] = []
  let spoken = ''
  for (const { text } of words) {
    starts.push(spoken.length + text.length - text.trimStart().length)
    spoken += text
  }
  /** True when the text is said at this place, and there at these times. */
  function isSaidAt (place: number, { text, startMs, endMs }: { text: string, startMs: number, endMs: number }): boolean {
    const first = words[starts.indexOf(place)]
    const last = words[starts.findLastIndex((start) => start < place + text.length)]
    return first !== undefined && last !== undefined &&
      Math.abs(first.startMs - startMs) <= TOLERANCE_MS && Math.abs(last.endMs - endMs) <= TOLERANCE_MS
  }
  return quotes.flatMap((quote) => {
    if (quote.text === '') return ['an empty quote']
    for (let place = spoken.indexOf(quote.text); place >= 0; place = spoken.indexOf(quote.text, place + 1)) {
      if (isSaidAt(place, quote)) return []
    }
    return [spoken.includes(quote.text) ? `wrong times: ${quote.startMs} to ${quote.endMs} "${quote.text}"` : `not said: "${quote.text}"`]
  })
}

function lengthOf (mode: ArtifactMode, { content, chapters = [], quotes = [] }: ArtifactContent): number {
  switch (mode) {
    case 'summary': return splitSentences(content).length
    case 'chapters': return chapters.length
    case 'quotes': return quotes.length
    case 'thread': return content.match(/^\d+\/\d+ /gm)?.length ?? 0
    case 'show-notes':
    case 'blog': return countWords(content)
  }
}

function findThreadFaults (content: string): string[] {
  const posts = content.split(/\n\n(?=\d+\/\d+ )/)
  return posts.flatMap((post, index) => [
    ...(post.length > MAX_POST_LENGTH ? [`post ${index + 1} has ${post.length} characters`] : []),
    ...(post.startsWith(`${index + 1}/${posts.length} `) ? [] : [`post ${index + 1} is not numbered`])
  ])
}

/** Everything wrong with an artifact. Empty when it keeps the rules of its mode. */
export function findArtifactFaults (mode: ArtifactMode, artifact: ArtifactContent, source: ArtifactSource): string[] {
  const length = lengthOf(mode, artifact)
  const least = leastLength(mode, source)
  return [
    ...(length > ARTIFACT_LENGTHS[mode].max ? [`too long: ${length}`] : []),
    ...(length < least ? [`too short: ${length} instead of ${least}`] : []),
    ...(mode === 'chapters' ? findChapterFaults(artifact, source) : []),
    ...(mode === 'quotes' ? findQuoteFaults(artifact, source) : []),
    ...(mode === 'thread' && artifact.content !== '' ? findThreadFaults(artifact.content) : []),
    ...(source.sentences.length > 0 && artifact.content.trim() === '' ? ['no content'] : [])
  ].map((fault) => `${mode}: ${fault}`)
}

/** Makes and finishes an artifact as the service does. Undefined when the engine or the check refused. */
async function make (engine: ArtifactEngine, mode: ArtifactMode, source: ArtifactSource): Promise<ArtifactContent | undefined> {
  try {
    return finishArtifact(mode, await engine.create(mode, source, AbortSignal.timeout(60_000)), source)
  } catch (error) {
    if (error instanceof ArtifactError) return undefined
    throw error
  }
}

/**
 * Runs the contract. `mayRefuse`: the engine may answer with ArtifactError, as a language model that answers nonsense does. `sources`: more
 * transcripts by name.
 */
export async function testArtifactEngine (
  t: Test, engine: ArtifactEngine, { mayRefuse, sources = {} }: { mayRefuse?: true, sources?: Record<string, () => ArtifactSource> } = {}
): Promise<void> {
  const all = {
    'the talk': () => readSpoken('talk'),
    'the dialogue': () => readSpoken('dialogue'),
    'a German text': () => readSpoken('de-1'),
    'a Spanish text': () => readSpoken('es-1'),
    ...ODD_SOURCES,
    ...sources
  }
  for (const [name, build] of Object.entries(all)) {
    const source = build()
    for (const mode of ARTIFACT_MODES) {
      const artifact = await make(engine, mode, source)
      if (artifact) t.strictSame(findArtifactFaults(mode, artifact, source), [], `${mode} of ${name}`)
      else t.ok(mayRefuse, `${mode} of ${name} was made`)
    }
  }
  const stopped = AbortSignal.abort(new Error('stopped'))
  await t.rejects(engine.create('summary', readSpoken('talk'), stopped), { name: 'ArtifactError', code: 'aborted' }, 'an aborted request')
}
