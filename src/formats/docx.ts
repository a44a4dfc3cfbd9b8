/** Word documents: a cover page, then paragraphs with their time, and the names in `shownSpeakers`. */
import { Deflate, strFromU8, strToU8, unzipSync, Zip, ZipPassThrough } from 'fflate'
import { formatClock } from '../domain/time.js'
import type { Transcript } from '../domain/transcript.js'
import { toParagraphs } from './paragraphs.js'
import type { Paragraph } from './paragraphs.js'
import { formatLanguage, toPrintable } from './printable.js'

const BODY_PART = 'word/document.xml'
const LINKS_PART = 'word/_rels/document.xml.rels'
const FACTS_PART = 'docProps/core.xml'
/** Mark places in the document that the package makes. */
const MARKS = {
  title: 'stenobox-title', link: 'stenobox-link', url: 'https://stenobox.invalid/', label: 'stenobox-label', value: 'stenobox-value',
  transcript: 'stenobox-transcript'
}
const LABEL_STYLE = 'StenoboxLabel'
const TEXT_STYLE = 'StenoboxText'
/** Longer recordings get headings at this interval, for navigation in the outline. */
const HEADING_EVERY_MS = 15 * 60_000

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])
const EAST_ASIAN = new Set(['ja', 'ko', 'yue', 'zh'])

/** Parts of a document without a recording's texts, by name. The body has a paragraph for each mark. */
type Shell = Readonly<Record<string, Uint8Array>>

/** Styles, a cover page with a title, a link and a line, page numbers. Loads the package docx: a tenth of a second, 20 MB. */
async function makeShell (language: string): Promise<Shell> {
  const {
    AlignmentType, Document, ExternalHyperlink, Footer, HeadingLevel, Packer, PageBreak, PageNumber, Paragraph, TextRun
  } = await import('docx')
  const kind = RIGHT_TO_LEFT.has(language) ? 'bidirectional' : EAST_ASIAN.has(language) ? 'eastAsia' : 'value'
  const label = (text: string) => new TextRun({ text: `${text}: `, bold: true })
  const link = new ExternalHyperlink({ link: MARKS.url, children: [new TextRun({ text: MARKS.link, style: 'Hyperlink' })] })
  const footer = new Footer({
    children: [new Paragraph({ alignment: AlignmentType.CENTER, children: [new TextRun({ children: [PageNumber.CURRENT] })] })]
  })
  const document = new Document({
    creator: 'Stenobox',
    title: MARKS.title,
    styles: {
      default: { document: { run: { font: 'Calibri', size: 22, language: { [kind]: language } } } },
      paragraphStyles: [
        { id: 'StenoboxCover', name: 'Transcript Cover', basedOn: 'Normal', paragraph: { spacing: { after: 120 } } },
        {
          id: LABEL_STYLE,
          name: 'Transcript Label',
          basedOn: 'Normal',
          run: { bold: true, size: 18, color: '595959' },
          paragraph: { keepNext: true, spacing: { before: 200, after: 40 } }
        },
        { id: TEXT_STYLE, name: 'Transcript Text', basedOn: 'Normal', paragraph: { spacing: { line: 300 } } }
      ]
    },
    sections: [
      {
        properties: { titlePage: true },
        footers: { default: footer, first: new Footer({ children: [] }) },
        children: [
          new Paragraph({ heading: HeadingLevel.TITLE, spacing: { before: 3600, after: 480 }, children: [new TextRun(MARKS.title)] }),
          new Paragraph({ style: 'StenoboxCover', children: [label('Source'), link] }),
          new Paragraph({ style: 'StenoboxCover', children: [label(MARKS.label), new TextRun(MARKS.value)] }),
          new Paragraph({ children: [new PageBreak()] }),
          new Paragraph({ heading: HeadingLevel.HEADING_1, children: [new TextRun('Transcript')] }),
          new Paragraph({ children: [new TextRun(MARKS.transcript)] })
        ]
      }
    ]
  })
  return unzipSync(await Packer.toBuffer(document))
}

/** By language. Making one takes longer than writing an hour of text, so each is made once. A shell has 38 kB. */
const shells = new Map<string, Promise<Shell>>()

async function shellFor (language: string): Promise<Shell> {
  const known = shells.get(language)
  if (known) return await known
  const shell = makeShell(language)
  shells.set(language, shell)
  shell.catch(() => { shells.delete(language) })
  return await shell
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)

function paragraphXml (style: string, text: string, isRightToLeft: boolean): string {
  const [bidi, rtl] = isRightToLeft ? ['<w:bidi/>', '<w:rPr><w:rtl/></w:rPr>'] : ['', '']
  return `<w:p><w:pPr><w:pStyle w:val="${style}"/>${bidi}</w:pPr><w:r>${rtl}<w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`
}

const labelOf = ({ startMs, speaker }: Paragraph, { shownSpeakers }: Transcript): string =>
  speaker !== undefined && shownSpeakers?.has(speaker) ? `${toPrintable(speaker)} · ${formatClock(startMs)}` : formatClock(startMs)

function * writeBody (transcript: Transcript): Generator<string> {
  const { segments, durationMs, language = '' } = transcript
  const isRightToLeft = RIGHT_TO_LEFT.has(language)
  const hasHeadings = durationMs > 2 * HEADING_EVERY_MS
  let headingMs = 0
  let isEmpty = true
  for (const paragraph of toParagraphs(segments)) {
    isEmpty = false
    if (hasHeadings && paragraph.startMs >= headingMs) {
      yield paragraphXml('Heading2', formatClock(paragraph.startMs), false)
      headingMs = (Math.floor(paragraph.startMs / HEADING_EVERY_MS) + 1) * HEADING_EVERY_MS
    }
    yield paragraphXml(LABEL_STYLE, labelOf(paragraph, transcript), false) + paragraphXml(TEXT_STYLE, paragraph.text, isRightToLeft)
  }
  if (isEmpty) yield paragraphXml(LABEL_STYLE, 'Nothing was said.', false)
}

/** Cuts the paragraph that holds `mark` out of a body. */
function cutOut (body: string, mark: string): [before: string, paragraph: string, after: string] {
  const at = body.indexOf(mark)
  const [start, end] = [body.lastIndexOf('<w:p>', at), body.indexOf('</w:p>', at) + '</w:p>'.length]
  if (at < 0 || start < 0 || end < at) throw new Error(`the document made by the package docx has no paragraph with ${mark}`)
  return [body.slice(0, start), body.slice(start, end), body.slice(end)]
}

const put = (xml: string, mark: string, text: string): string => xml.replaceAll(mark, () => escapeXml(text))

/** The address of a web page; undefined for anything else, which is shown without a link. */
function linkTo (source: string | undefined): string | undefined {
  return source !== undefined && /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source).href : undefined
}

/** The body before and after the transcript. */
function fillBody (body: string, { fileName, sourceUrl, language, durationMs, warnings }: Transcript): [head: string, tail: string] {
  const [start, titleXml, afterTitle] = cutOut(body, MARKS.title)
  const [, linkXml, afterLink] = cutOut(afterTitle, MARKS.link)
  const [, lineXml, afterLine] = cutOut(afterLink, MARKS.label)
  const [middle, , tail] = cutOut(afterLine, MARKS.transcript)
  const line = (label: string, value: string): string => put(put(lineXml, MARKS.label, label), MARKS.value, value)
  const source = sourceUrl === undefined ? undefined : toPrintable(sourceUrl)
  const sourceXml = source === undefined ? '' : linkTo(source) === undefined ? line('Source', source) : put(linkXml, MARKS.link, source)
  const facts = [
    ...(language === undefined ? [] : [line('Language', formatLanguage(language))]),
    line('Duration', formatClock(durationMs)),
    ...warnings.map(({ message }) => line('Note', message))
  ]
  return [start + put(titleXml, MARKS.title, toPrintable(fileName).trim()) + sourceXml + facts.join('') + middle, tail]
}

function fillLinks (links: string, { sourceUrl }: Transcript): string {
  const link = linkTo(sourceUrl === undefined ? undefined : toPrintable(sourceUrl))
  if (link !== undefined) return put(links, MARKS.url, link)
  return links.replaceAll(/<Relationship [^>]*>/g, (relationship) => relationship.includes(MARKS.url) ? '' : relationship)
}

/** A part that is compressed with every push. The one that fflate has collects 96 kB, which then take tens of milliseconds. */
function createPart (name: string): ZipPassThrough {
  const part = new ZipPassThrough(name)
  const deflate = new Deflate((data, isFinal) => { part.ondata(null, data, isFinal) })
  const process = (chunk: Uint8Array, isFinal: boolean): void => {
    deflate.push(chunk, isFinal)
    if (!isFinal) deflate.flush()
  }
  // How fflate has other methods of compression added; 8 is deflate.
  return Object.assign(part, { compression: 8, process })
}
/** How much text is compressed at once. */
const PUSH_BYTES = 8192

/** Joins what is written into pieces worth compressing. */
function * gatherBytes (pieces: Iterable<string>): Generator<Uint8Array> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    const isFull = text.length >= PUSH_BYTES
    yield strToU8(isFull ? text : '')
    if (isFull) text = ''
  }
  yield strToU8(text)
}

function * writePart (name: string, bytes: Uint8Array, transcript: Transcript): Generator<Uint8Array> {
  if (name === BODY_PART) {
    const [head, tail] = fillBody(strFromU8(bytes), transcript)
    yield strToU8(head)
    yield * gatherBytes(writeBody(transcript))
    yield strToU8(tail)
  } else if (name === LINKS_PART) {
    yield strToU8(fillLinks(strFromU8(bytes), transcript))
  } else if (name === FACTS_PART) {
    yield strToU8(put(strFromU8(bytes), MARKS.title, toPrintable(transcript.fileName).trim()))
  } else {
    yield bytes
  }
}

/**
 * Renders a document as a stream. The package can only make whole documents in memory, so the transcript is written between its parts,
 * paragraph by paragraph. An empty chunk marks a place where rendering may pause.
 */
export async function * renderDocx (transcript: Transcript): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    made.push(chunk)
  })
  const take = (): Uint8Array => concatenate(made.splice(0))
  const shell = await shellFor(transcript.language ?? 'en')
  yield take()
  for (const [name, bytes] of Object.entries(shell)) {
    const file = createPart(name)
    zip.add(file)
    for (const piece of writePart(name, bytes, transcript)) {
      if (piece.length > 0) file.push(piece)
      yield take()
    }
    file.push(new Uint8Array(), true)
    yield take()
  }
  zip.end()
  yield take()
}

function concatenate (pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
  }
  return whole
}
