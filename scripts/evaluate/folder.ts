/** A folder to evaluate: recordings, what is said in them (`NAME.txt`), and when (`NAME.json`). */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { UsageError } from './command-line.ts'
import type { Sentence } from './times.ts'
import { chooseUnit } from './tokens.ts'
import type { Unit } from './tokens.ts'

export type Reference = {
  /** Empty: nothing is said in the recording. */
  text: string
  unit: Unit
}

export type Recording = {
  /** File name, with its folder's name before it when several folders are evaluated. */
  name: string
  path: string
  /** Absent: nothing is known of what is said, so only speed is measured. */
  reference?: Reference
  language?: string
  sentences?: Sentence[]
}

/** `faults`: what should be put right; `notes`: what is worth saying. */
export type Listing = { recordings: Recording[], faults: string[], notes: string[] }
type Facts = Pick<Recording, 'language' | 'sentences'>

const MEDIA = new Set('3gp aac ac3 aif aifc aiff amr avi caf flac flv m2ts m4a m4v mka mkv mov mp2 mp3 mp4 mpeg mpg mts oga ogg ogv opus ts wav webm wma wmv'.split(' '))
const BESIDE = new Set(['txt', 'json'])

/** Throws UsageError when a folder is none. */
export function listRecordings (folders: readonly string[]): Listing {
  const listing: Listing = { recordings: [], faults: [], notes: [] }
  for (const folder of folders) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`there is no folder ${folder}`)
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name).sort()
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
  const recording: Recording = { name: prefix + file, path: join(folder, file) }
  const text = readText(stem + '.txt')
  if (text === undefined) listing.notes.push(`${recording.name} has no reference text beside it: not scored`)
  const content = readText(stem + '.json')
  const reference = text === undefined ? {} : { reference: { text, unit: chooseUnit(text) } }
  if (content === undefined) return { ...recording, ...reference }
  try {
    return { ...recording, ...reference, ...parseFacts(content) }
  } catch (error) {
    listing.faults.push(`${recording.name}: its JSON is not used: ${(error as Error).message}`)
    return { ...recording, ...reference }
  }
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
  const { start, end, text } = (value ?? {}) as Record<string, unknown>
  const isTime = (time: unknown): time is number => typeof time === 'number' && Number.isFinite(time) && time >= 0
  if (!isTime(start) || !isTime(end) || end < start || typeof text !== 'string') throw new Error(`sentences[${index}] needs start, end (in seconds) and text`)
  return { startMs: Math.round(1000 * start), endMs: Math.round(1000 * end), text }
}
