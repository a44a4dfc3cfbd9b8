/** Artifacts as text: Markdown where people paste Markdown, plain text elsewhere. */
import { phrasesFor } from '../domain/artifact-phrases.js'
import type { Phrases } from '../domain/artifact-phrases.js'
import { checkDraft } from '../domain/artifact-draft.js'
import type { CheckedDraft, Demand } from '../domain/artifact-draft.js'
import type { ArtifactContent, ArtifactDraft, ArtifactMode, ArtifactSource, Chapter, Quote } from '../domain/artifact.js'
import { toPrintable } from './printable.js'

/**
 * Escapes the characters that start emphasis, code, links and HTML inside a line. Others, such as "!" and "#", mean nothing inside a line
 * and stay, so that a quote reads as it was said.
 */
const escape = (text: string): string => toPrintable(text).replace(/[\\`*_<[\]]/g, '\\$&')

/** A position as players and video sites show it: 2:05, or 1:02:05 in a recording of an hour or more. */
function formatPosition (ms: number, durationMs: number): string {
  const seconds = Math.floor(ms / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return durationMs >= 3_600_000 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${two(minutes)}:${two(seconds % 60)}`
}

type Look = { phrases: Phrases, source: ArtifactSource }

function renderQuote ({ text, startMs }: Quote, { phrases: { quotationMarks: [open, close] }, source }: Look): string {
  return `> ${open}${escape(text)}${close} (${formatPosition(startMs, source.durationMs)})`
}

function renderChapter ({ title, startMs }: Chapter, { source }: Look): string {
  return `${formatPosition(startMs, source.durationMs)} ${toPrintable(title)}`
}

function renderShowNotes (notes: CheckedDraft & { mode: 'show-notes' }, look: Look): string {
  const { phrases, source } = look
  const topics = notes.topics.map(({ title, startMs, detail }) => {
    const colon = /[?？!！]$/u.test(title) ? '' : ':'
    return `- **${formatPosition(startMs, source.durationMs)}** ${escape(title)}${detail === undefined ? '' : `${colon} ${escape(detail)}`}`
  })
  return [
    `# ${escape(source.title)}`,
    escape(notes.intro),
    ...(topics.length > 0 ? [`## ${phrases.keyTopics}`, topics.join('\n')] : []),
    ...(notes.quotes.length > 0 ? [`## ${phrases.quotes}`, ...notes.quotes.map((quote) => renderQuote(quote, look))] : []),
    `## ${phrases.links}`,
    `- ${phrases.addLinks}`
  ].filter((block) => block !== '').join('\n\n')
}

function renderBlog (blog: CheckedDraft & { mode: 'blog' }, look: Look): string {
  const { phrases } = look
  const sections = blog.sections.flatMap(({ heading, paragraphs, quote }) => [
    `## ${escape(heading)}`, ...paragraphs.map(escape), ...(quote ? [renderQuote(quote, look)] : [])
  ])
  const call = [`## ${phrases.nextHeading}`, escape(blog.callToAction ?? phrases.callToAction)]
  return [`# ${escape(blog.title)}`, escape(blog.intro), ...sections, ...call].filter((block) => block !== '').join('\n\n')
}

function renderContent (checked: CheckedDraft, look: Look): string {
  switch (checked.mode) {
    case 'summary': return toPrintable(checked.text)
    case 'chapters': return checked.chapters.map((chapter) => renderChapter(chapter, look)).join('\n')
    case 'quotes': return checked.quotes.map((quote) => renderQuote(quote, look)).join('\n\n')
    case 'show-notes': return renderShowNotes(checked, look)
    case 'thread': return checked.posts.map((post, index) => `${index + 1}/${checked.posts.length} ${toPost(post)}`).join('\n\n')
    case 'blog': return renderBlog(checked, look)
  }
}

const toPost = (text: string): string => text.split('\n').map(toPrintable).join('\n')

function renderEmpty (mode: ArtifactMode, { title, language }: ArtifactSource): ArtifactContent {
  const { nothingSaid } = phrasesFor(language)
  switch (mode) {
    case 'summary': return { content: nothingSaid }
    case 'chapters': return { content: '', chapters: [] }
    case 'quotes': return { content: '', quotes: [] }
    case 'thread': return { content: '' }
    case 'show-notes':
    case 'blog': return { content: `# ${escape(title)}\n\n${nothingSaid}` }
  }
}

/**
 * The artifact that a draft becomes: checked against the transcript, and rendered. A transcript without sentences needs no draft. Throws
 * ArtifactError `unusable` when the draft breaks the rules of its mode; too little is accepted with the demand `any`.
 */
export function finishArtifact (
  mode: ArtifactMode, draft: ArtifactDraft | undefined, source: ArtifactSource, demand?: Demand
): ArtifactContent {
  if (!draft || source.sentences.length === 0) return renderEmpty(mode, source)
  const checked = checkDraft(draft, mode, source, demand)
  const content = renderContent(checked, { phrases: phrasesFor(source.language), source })
  if (checked.mode === 'chapters') return { content, chapters: checked.chapters }
  return checked.mode === 'quotes' ? { content, quotes: checked.quotes } : { content }
}
