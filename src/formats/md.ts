/** Markdown: a title, facts about the recording, and paragraphs with their time and speaker. */
import { formatClock } from '../domain/time.js'
import type { Transcript } from '../domain/transcript.js'
import { toParagraphs } from './paragraphs.js'
import { formatDay, formatLanguage, toPrintable } from './printable.js'

/** Escapes every character that has a meaning inside a line of Markdown, including GitHub's dialect. */
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~[\]<>#&|$!]/g, '\\$&')
/** A link in angle brackets. Characters that would end it are percent-encoded. */
const toLink = (url: string): string => `<${url.replace(/[\s<>]/g, encodeURIComponent)}>`

/** The day of publication if the source gave one, else the day of completion. */
function * renderDate ({ publishedAt, completedAt }: Transcript): Generator<string> {
  if (publishedAt !== undefined) yield `- Published: ${formatDay(publishedAt)}\n`
  else if (completedAt !== undefined) yield `- Transcribed: ${formatDay(completedAt)}\n`
}

/** Text never begins a line, so characters that start a list or a heading need no escape. */
export function * renderMd (transcript: Transcript): Generator<string> {
  const { fileName, sourceUrl, language, durationMs, warnings, segments } = transcript
  yield `# ${escapeMarkdown(toPrintable(fileName).trim())}\n\n`
  yield * renderDate(transcript)
  if (sourceUrl !== undefined) yield `- Source: ${toLink(toPrintable(sourceUrl))}\n`
  if (language !== undefined) yield `- Language: ${formatLanguage(language)}\n`
  yield `- Duration: ${formatClock(durationMs)}\n`
  for (const { message } of warnings) yield `- Note: ${escapeMarkdown(message)}\n`
  for (const { startMs, speaker, text } of toParagraphs(segments)) {
    const label = speaker === undefined ? '' : ` ${escapeMarkdown(toPrintable(speaker))}:`
    yield `\n**[${formatClock(startMs)}]${label}** ${escapeMarkdown(text)}\n`
  }
}
