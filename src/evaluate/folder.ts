/** A folder to evaluate: recordings, what is said in them (`NAME.txt`), when (`NAME.json`), and who speaks when (`NAME.rttm`). */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { UsageError } from './command-line.js'
import { parseLabelledRttm } from './speakers/rttm.js'
import type { LabelledSpan } from './speakers/rttm.js'
import { uniteSpans } from './speech.js'
import type { Span } from './speech.js'
import type { Sentence } from './times.js'
import { chooseUnit } from './text/tokens.js'
import type { Unit } from './text/tokens.js'

export type Reference = {
  /** Empty: nothing is said in the recording. */
  text: string
  unit: Unit
}

export type Recording = {
  /** File name, with its folder's name before it when several folders are evaluated. */
  name: string
  path: string
  /** Absent: there is no text to compare with, so only speed is measured. */
  reference?: Reference
  language?: string
  sentences?: Sentence[]
  /** When somebody speaks, in order, without overlap; absent: not known. */
  speech?: Span[]
  /** Who speaks when; absent: not known. */
  turns?: LabelledSpan[]
}

/** `faults`: what the user has to correct. `notes`: sentences for the report. */
export type Listing = { recordings: Recording[], faults: string[], notes: string[] }
type Facts = Pick<Recording, 'language' | 'sentences'>

const MEDIA = new Set([
  '3gp', 'aac', 'ac3', 'aif', 'aifc', 'aiff', 'amr', 'avi', 'caf', 'flac', 'flv', 'm2ts', 'm4a', 'm4v', 'mka', 'mkv', 'mov', 'mp2', 'mp3',
  'mp4', 'mpeg', 'mpg', 'mts', 'oga', 'ogg', 'ogv', 'opus', 'ts', 'wav', 'webm', 'wma', 'wmv'
])
const BESIDE = new Set(['txt', 'json', 'rttm'])

/** Throws UsageError when a path is not a folder. */
export function listRecordings (folders: readonly string[]): Listing {
  const listing: Listing = { recordings: [], faults: [], notes: [] }
  for (const folder of folders) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`there is no folder ${folder}`)
    const entries = readdirSync(folder, { withFileTypes: true })
    const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name).sort()
    const prefix = folders.length > 1 ? basename(folder) + '/' : ''
    for (const file of files) {
      const ending = extname(file).slice(1).toLowerCase()
      if (MEDIA.has(ending)) listing.recordings.push(readRecording(folder, file, prefix, listing))
      else if (!BESIDE.has(ending)) listing.notes.push(`${prefix}${file} is left out: its name is not that of a recording`)
    }
  }
  return listing
}

function readRecording (folder: string, file: string, prefix: string, listing: Listing): Recording {
  const stem = join(folder, basename(file, extname(file)))
  const name = prefix + file
  const text = readText(stem + '.txt')
  if (text === undefined) listing.notes.push(`${name} has no reference text beside it: not scored`)
  const parse = <T>(ending: string, read: (content: string) => T): T | undefined => {
    const content = readText(`${stem}.${ending}`)
    if (content === undefined) return undefined
    try {
      return read(content)
    } catch (error) {
      listing.faults.push(`${name}: its ${ending.toUpperCase()} is not used: ${(error as Error).message}`)
      return undefined
    }
  }
  const facts = parse('json', parseFacts)
  const rttm = parse('rttm', parseLabelledRttm)
  const turns = rttm ?? turnsOf(facts?.sentences ?? [])
  const reference = text === undefined ? {} : { reference: { text, unit: chooseUnit(text) } }
  return { name, path: join(folder, file), ...reference, ...facts, ...(rttm && { speech: uniteSpans(rttm) }), ...(turns && { turns }) }
}

/** Sentences of which each names its speaker also say who speaks when. */
function turnsOf (sentences: readonly Sentence[]): LabelledSpan[] | undefined {
  const turns = sentences.flatMap(({ startMs, endMs, speaker }) => speaker === undefined ? [] : [{ startMs, endMs, speaker }])
  return turns.length > 0 && turns.length === sentences.length ? turns : undefined
}

function readText (path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '').trim()
}

/** Throws an Error that says what is wrong with the JSON. */
export function parseFacts (content: string): Facts {
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch {
    throw new Error('it is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('it is not an object')
  const { language, sentences } = parsed as Record<string, unknown>
  if (language !== undefined && typeof language !== 'string') throw new Error('language is not text')
  if (sentences !== undefined && !Array.isArray(sentences)) throw new Error('sentences is not a list')
  return {
    ...(language !== undefined && { language: language.toLowerCase() }),
    ...(sentences !== undefined && { sentences: sentences.map(toSentence) })
  }
}

function toSentence (value: unknown, index: number): Sentence {
  const { start, end, text, speaker } = (value ?? {}) as Record<string, unknown>
  const isTime = (time: unknown): time is number => typeof time === 'number' && Number.isFinite(time) && time >= 0
  if (!isTime(start) || !isTime(end) || end < start || typeof text !== 'string') {
    throw new Error(`sentences[${index}] needs start, end (in seconds) and text`)
  }
  const times = { startMs: Math.round(1000 * start), endMs: Math.round(1000 * end), text }
  return typeof speaker === 'string' ? { ...times, speaker } : times
}
