/** The recordings of the benchmarks: the test fixtures, and longer or shorter ones made from them with ffmpeg. */
import { readFileSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { runFfmpeg } from '../../dist/evaluate/machine/ffmpeg.js'
import { FIXTURES } from './paths.ts'

export type Recording = {
  name: string
  path: string
  language: string
  seconds: number
  reference: string
}

export type Sentence = { start: number, end: number }
type Truth = { language: string, duration: number, sentences?: Sentence[] }

/** Every fixture that has a reference text. */
export function listFixtures (): Recording[] {
  const files = readdirSync(FIXTURES)
  return files
    .filter((file) => !['.txt', '.json'].includes(extname(file)) && files.includes(stemOf(file) + '.txt'))
    .map((file) => readFixture(file))
}

export function findFixture (name: string): Recording {
  const found = listFixtures().find((recording) => recording.name === name)
  if (!found) throw new Error(`There is no fixture called ${name}`)
  return found
}

/** When the sentences of a fixture are said, in seconds; empty where its truth does not tell. */
export function readSentences (name: string): Sentence[] {
  return readTruth(name).sentences ?? []
}

function readTruth (name: string): Truth {
  return JSON.parse(readFileSync(join(FIXTURES, name + '.json'), 'utf8')) as Truth
}

function readFixture (file: string): Recording {
  const stem = stemOf(file)
  const truth = readTruth(stem)
  const reference = readFileSync(join(FIXTURES, stem + '.txt'), 'utf8').trim()
  return { name: stem, path: join(FIXTURES, file), language: truth.language, seconds: truth.duration, reference }
}

function stemOf (file: string): string {
  return file.slice(0, file.length - extname(file).length)
}

/** The source over and over until `seconds` are full, in the source's own coding: hours are made in a moment. */
export async function loopRecording (source: string, target: string, seconds: number): Promise<string> {
  await runFfmpeg(['-stream_loop', '-1', '-i', source, '-t', String(seconds), '-c', 'copy', target])
  return target
}

export async function cutRecording (source: string, target: string, startSeconds: number, seconds: number): Promise<string> {
  await runFfmpeg(['-ss', String(startSeconds), '-i', source, '-t', String(seconds), '-ar', '16000', '-ac', '1', target])
  return target
}
