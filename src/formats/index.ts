/** Every export format: what it is called on the wire, and how it is made. */
import type { Transcript } from '../domain/transcript.js'
import { renderJson } from './json.js'
import { renderTxt } from './txt.js'

export type Rendered = { body: string, contentType: string, extension: string }
type Format = { contentType: string, render (transcript: Transcript): Rendered }

function textFormat (extension: string, contentType: string, render: (transcript: Transcript) => string): Format {
  return { contentType, render: (transcript) => ({ body: render(transcript), contentType, extension }) }
}

export const FORMATS = {
  txt: textFormat('txt', 'text/plain; charset=utf-8', renderTxt),
  json: textFormat('json', 'application/json; charset=utf-8', renderJson)
} satisfies Record<string, Format>

export type ExportFormat = keyof typeof FORMATS
export const EXPORT_FORMATS = Object.keys(FORMATS) as ExportFormat[]
