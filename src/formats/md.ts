/** Markdown: a heading, what is known of the recording, and paragraphs with their time and speaker. */
import type { Transcript } from '../domain/transcript.js'
import { toParagraphs } from './paragraphs.js'
import { formatClock, formatLanguage, toPrintable } from './printable.js'

/** Every character that Markdown, GitHub's included, gives a meaning inside a line. */
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~[\]<>#&|$!]/g, '\\$&')
/** An address in angle brackets is a link; what would end it is percent-encoded. */
const toLink = (url: string): string => `<${url.replace(/[\s<>]/g, encodeURIComponent)}>`

/** Text never begins a line, so nothing that means a list or a heading there has to be escaped. */
export function * renderMd ({ fileName, sourceUrl, language, durationMs, warnings, segments }: Transcript): Generator<string> {
  yield `# ${escapeMarkdown(toPrintable(fileName).trim())}\n\n`
  if (sourceUrl !== undefined) yield `- Source: ${toLink(toPrintable(sourceUrl))}\n`
  if (language !== undefined) yield `- Language: ${formatLanguage(language)}\n`
  yield `- Duration: ${formatClock(durationMs)}\n`
  for (const { message } of warnings) yield `- Note: ${escapeMarkdown(message)}\n`
  for (const { startMs, speaker, text } of toParagraphs(segments)) {
    const label = speaker === undefined ? '' : ` ${escapeMarkdown(toPrintable(speaker))}:`
    yield `\n**[${formatClock(startMs)}]${label}** ${escapeMarkdown(text)}\n`
  }
}
