/** Titles and tags that people give to transcriptions. Pure. */
import { AppError } from './errors.js'
import { requireLength } from './lengths.js'
import type { RecordingName } from './recording-name.js'
import { toVisibleName } from './visible-name.js'

/** The longest title and tag, in characters. */
export const MAX_TITLE_LENGTH = 200
export const MAX_TAG_LENGTH = 40
/** The most tags of a transcription. */
export const MAX_TAGS = 20

/** A tag by which transcriptions are found, and as it was written. */
export type Tag = { key: string, name: string }

/** Tags with the same key are one tag. */
export const toTagKey = (tag: string): string => tag.normalize('NFKC').toLowerCase()

function clean (text: string, max: number, field: string): RecordingName {
  requireLength(text, { min: 1, max }, field)
  const name = toVisibleName(text)
  if (name === undefined) throw new AppError('invalid_request', `${field}: has no visible characters`)
  return name
}

/** One line without invisible characters. Throws `invalid_request`. */
export const parseTitle = (text: string): RecordingName => clean(text, MAX_TITLE_LENGTH, 'title')

/** Cleaned tags in their order; of tags that differ only in case, the first one. Throws `invalid_request`. */
export function parseTags (texts: readonly string[]): Tag[] {
  const tags = new Map<string, Tag>()
  for (const [index, text] of texts.entries()) {
    const name = clean(text, MAX_TAG_LENGTH, `tags[${index}]`)
    const key = toTagKey(name)
    if (!tags.has(key)) tags.set(key, { key, name })
  }
  if (tags.size > MAX_TAGS) throw new AppError('invalid_request', `tags: there may be at most ${MAX_TAGS} of them. These are ${tags.size}.`)
  return [...tags.values()]
}
