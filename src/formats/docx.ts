/** Word documents: a cover page, then paragraphs with their time, and the names in `shownSpeakers`. */
import { strToU8, strFromU8, unzipSync, Zip, ZipDeflate } from 'fflate'
import type { FileChild } from 'docx'
import type { Transcript } from '../domain/transcript.js'
import { toParagraphs } from './paragraphs.js'
import type { Paragraph } from './paragraphs.js'
import { formatClock, formatLanguage, toPrintable } from './printable.js'

const BODY_PART = 'word/document.xml'
/** Marks the place of the transcript in the document that the package makes. */
const PLACEHOLDER = 'stenobox-transcript-goes-here'
const LABEL_STYLE = 'StenoboxLabel'
const TEXT_STYLE = 'StenoboxText'
/** Longer recordings get headings at this interval, for navigation in the outline. */
const HEADING_EVERY_MS = 15 * 60_000

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])
const EAST_ASIAN = new Set(['ja', 'ko', 'yue', 'zh'])

/** Loads the package docx only when needed: that takes a tenth of a second and 20 MB. */
type Docx = typeof import('docx')

function makeCover (
  { Paragraph, TextRun, ExternalHyperlink, HeadingLevel, PageBreak }: Docx,
  { fileName, sourceUrl, language, durationMs, warnings }: Transcript
): FileChild[] {
  const line = (label: string, value: string | InstanceType<Docx['ExternalHyperlink']>): FileChild =>
    new Paragraph({
      style: 'StenoboxCover',
      children: [new TextRun({ text: `${label}: `, bold: true }), typeof value === 'string' ? new TextRun(value) : value]
    })
  const url = sourceUrl === undefined ? undefined : toPrintable(sourceUrl)
  const source = url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url)
    ? new ExternalHyperlink({ link: new URL(url).href, children: [new TextRun({ text: url, style: 'Hyperlink' })] })
    : url
  return [
    new Paragraph({
      heading: HeadingLevel.TITLE,
      spacing: { before: 3600, after: 480 },
      children: [new TextRun(toPrintable(fileName).trim())]
    }),
    ...(source === undefined ? [] : [line('Source', source)]),
    ...(language === undefined ? [] : [line('Language', formatLanguage(language))]),
    line('Duration', formatClock(durationMs)),
    ...warnings.map(({ message }) => line('Note', message)),
    new Paragraph({ children: [new PageBreak()] })
  ]
}

/** The file without the transcript: styles, cover page, page numbers. */
async function makeShell (transcript: Transcript): Promise<Record<string, Uint8Array>> {
  const docx = await import('docx')
  const { AlignmentType, Document, Footer, HeadingLevel, Packer, PageNumber, Paragraph, TextRun } = docx
  const language = transcript.language ?? 'en'
  const kind = RIGHT_TO_LEFT.has(language) ? 'bidirectional' : EAST_ASIAN.has(language) ? 'eastAsia' : 'value'
  const footer = new Footer({
    children: [new Paragraph({ alignment: AlignmentType.CENTER, children: [new TextRun({ children: [PageNumber.CURRENT] })] })]
  })
  const document = new Document({
    creator: 'Stenobox',
    title: toPrintable(transcript.fileName).trim(),
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
          ...makeCover(docx, transcript),
          new Paragraph({ heading: HeadingLevel.HEADING_1, children: [new TextRun('Transcript')] }),
          new Paragraph({ children: [new TextRun(PLACEHOLDER)] })
        ]
      }
    ]
  })
  return unzipSync(await Packer.toBuffer(document))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeXml = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)

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

/** Splits the shell's body at the placeholder's paragraph. */
function splitBody (body: string): [head: string, tail: string] {
  const mark = body.indexOf(PLACEHOLDER)
  const [start, end] = [body.lastIndexOf('<w:p>', mark), body.indexOf('</w:p>', mark)]
  if (mark < 0 || start < 0 || end < 0) throw new Error('the document made by the package docx has no placeholder for the transcript')
  return [body.slice(0, start), body.slice(end + '</w:p>'.length)]
}

/**
 * Renders a document as a stream. The package can only make whole documents in memory, so the transcript is written between its parts,
 * paragraph by paragraph.
 */
export async function * renderDocx (transcript: Transcript): AsyncGenerator<Uint8Array> {
  const parts = await makeShell(transcript)
  let made: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    made.push(chunk)
  })
  function * take (): Generator<Uint8Array> {
    yield * made
    made = []
  }
  for (const [name, bytes] of Object.entries(parts)) {
    const file = new ZipDeflate(name)
    zip.add(file)
    if (name === BODY_PART) {
      const [head, tail] = splitBody(strFromU8(bytes))
      file.push(strToU8(head))
      for (const xml of writeBody(transcript)) {
        file.push(strToU8(xml))
        yield * take()
      }
      file.push(strToU8(tail), true)
    } else {
      file.push(bytes, true)
    }
    yield * take()
  }
  zip.end()
  yield * take()
}
