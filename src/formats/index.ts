/** All export formats: their names, content types and renderers. */
import type { Transcript } from '../domain/transcript.js'
import { renderDocx } from './docx.js'
import { renderJson } from './json.js'
import { renderMd } from './md.js'
import { renderSrt } from './srt.js'
import { renderTxt } from './txt.js'
import { renderVtt } from './vtt.js'

/** Rendered lazily, piece by piece. Can be iterated once. An empty chunk marks a place where rendering may pause. */
export type Chunks = Iterable<string> | AsyncIterable<Uint8Array>
type Format = { contentType: string, isBinary: boolean, render (transcript: Transcript): Chunks }

const CHUNK_LENGTH = 16 * 1024

/** Joins text into pieces worth sending, with empty ones before them. */
function * gather (pieces: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    const isFull = chunk.length >= CHUNK_LENGTH
    yield isFull ? chunk : ''
    if (isFull) chunk = ''
  }
  if (chunk !== '') yield chunk
}

const textFormat = (contentType: string, render: (transcript: Transcript) => Iterable<string>): Format => ({
  contentType: `${contentType}; charset=utf-8`, isBinary: false, render: (transcript) => gather(render(transcript))
})

/** The names are also the file extensions. */
export const FORMATS = {
  txt: textFormat('text/plain', renderTxt),
  srt: textFormat('text/plain', renderSrt),
  vtt: textFormat('text/vtt', renderVtt),
  json: textFormat('application/json', renderJson),
  md: textFormat('text/markdown', renderMd),
  docx: { contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', isBinary: true, render: renderDocx }
} satisfies Record<string, Format>

export type ExportFormat = keyof typeof FORMATS
export const EXPORT_FORMATS = Object.keys(FORMATS) as ExportFormat[]
