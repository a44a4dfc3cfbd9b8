/** What an artifact is made from, out of a stored transcript. Pure. */
import type { ArtifactSource } from './artifact.js'
import { toSentences } from './sentences.js'
import { toLine } from './text-words.js'
import type { Transcript } from './transcript.js'

const EXTENSION = /\.[a-z0-9]{2,4}$/i

/** A file name as people would write a title: without extension, underscores and hyphens. */
export function toTitle (fileName: string): string {
  const name = toLine(fileName.replace(EXTENSION, '').replace(/[_]+/g, ' ').replace(/(?<=\p{L})-(?=\p{L})/gu, ' '))
  return name === '' ? toLine(fileName) : name
}

export function toArtifactSource (
  { fileName, language, durationMs, segments }: Pick<Transcript, 'fileName' | 'language' | 'durationMs' | 'segments'>, title?: string
): ArtifactSource {
  return { language, title: title ?? toTitle(fileName), durationMs, sentences: [...toSentences(segments)] }
}
