/** What third-party programs read in a subtitle file. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { parseSync } from 'subtitle'
import type * as Webvtt from 'webvtt-parser'

const require = createRequire(import.meta.url)
const { WebVTTParser } = require('webvtt-parser') as typeof Webvtt
/** Without it the parser leaves the semicolons of entities in the text. */
const ENTITIES = require('webvtt-parser/html-entities.json') as Record<string, string>

/** `text`: lines joined by line feeds. */
export type ReadCue = { startMs: number, endMs: number, text: string }

/** The validator of the W3C. */
export function readWithW3c (vtt: string): { cues: ReadCue[], errors: string[] } {
  const { cues, errors } = new WebVTTParser(ENTITIES).parse(vtt, 'captions')
  const ms = (seconds: number): number => Math.round(1000 * seconds)
  return {
    cues: cues.map(({ startTime, endTime, tree }) => ({
      startMs: ms(startTime),
      endMs: ms(endTime),
      text: tree.children.map(({ type, value }) => (type === 'text' ? value : `<${type}>`)).join('')
    })),
    errors: errors.map(({ message, line }) => `line ${line}: ${message}`)
  }
}

/** The package `subtitle`, which leaves WebVTT's entities as they are. */
export function readWithSubtitle (file: string): ReadCue[] {
  return parseSync(file).flatMap((node) =>
    node.type === 'cue' ? [{ startMs: node.data.start, endMs: node.data.end, text: node.data.text }] : []
  )
}

const toMs = (time: string): number => {
  const [seconds = '0', minutes = '0', hours = '0'] = time.replace(',', '.').split(':').reverse()
  return Math.round(1000 * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)))
}

/** ffmpeg, which reads the file and writes the packets it found as a file of the same kind. */
export function readWithFfmpeg (file: string, format: 'srt' | 'webvtt'): ReadCue[] {
  const { status, stdout, stderr } = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-f', format, '-i', 'pipe:0', '-c', 'copy', '-f', format, 'pipe:1'],
    { input: file, encoding: 'utf8', maxBuffer: 1e8 }
  )
  if (status !== 0 || stderr !== '') throw new Error(`ffmpeg: ${stderr}`)
  return stdout.trim().split(/\n\n+/).flatMap((block) => {
    const lines = block.split('\n')
    const index = lines.findIndex((line) => line.includes(' --> '))
    const [start = '', end = ''] = lines[index]?.split(' --> ') ?? []
    return index < 0 ? [] : [{ startMs: toMs(start), endMs: toMs(end), text: lines.slice(index + 1).join('\n') }]
  })
}
