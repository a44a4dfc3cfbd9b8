/** Transcribes recordings with a real appliance. */
import { join } from 'node:path'
import type { SttQuality } from '../domain/job.js'
import { createModels } from '../engine/models/models.js'
import { createKey, startAppliance } from './appliance.js'
import { createClient } from './client.js'
import type { Client } from './client.js'
import { readMemory, resetPeak } from './machine/load.js'
import type { Recording } from './folder.js'
import type { Span } from './speech.js'
import type { HeardWord } from './times.js'

export const OURS = 'Stenobox'

export type Options = {
  modelsDir: string
  quality: SttQuality
  /** A code, "auto" to detect it, or "reference" for the language in the recording's JSON. */
  language: string
}
export type Place = { scratch: string, log: (line: string) => void }

/** `skipped`: the parts that were not decoded; absent if not known. */
export type Transcript = { text: string, language?: string, durationMs: number, words: HeardWord[], skipped?: Span[] }
/** `wallMs`: from the first byte uploaded to the last answer. */
export type Outcome = { wallMs: number, transcript: Transcript } | { failure: string }
export type Model = { name: string, path: string, beamSize: number }

/** A program that transcribes: Stenobox, or a rival. `T`: its result for one recording. */
export type Transcriber<T> = {
  name: string
  /** For the notes of the report: versions and options. */
  about?: string
  /** Time to load the weights; absent where each call loads them. */
  loadSeconds?: number
  /** Processes that live as long as the transcriber, and whose processor time is its own. */
  pids: readonly number[]
  /** Work that is not measured, such as conversions. Called first. */
  prepare?: (recordings: readonly Recording[]) => Promise<void>
  /** Transcribes one recording. Does not throw if the recording fails. */
  transcribe: (recording: Recording) => Promise<T>
  /** Transcribes recordings that are submitted together. Throws an Error if one fails. */
  transcribeAll: (recordings: readonly Recording[]) => Promise<void>
  /** The peak of resident memory since the previous call. */
  takePeak: () => number
  stop: () => Promise<void>
}

export type Ours = Transcriber<Outcome> & { residentBytes: () => number }

/** The model that the appliance takes for the quality. Throws an Error when there is none. */
export async function chooseModel ({ modelsDir, quality }: Options): Promise<Model> {
  const models = createModels(modelsDir)
  await models.prepare()
  const chosen = models.choose(quality)
  if (!chosen) throw new Error('no model is installed; see: stenobox doctor')
  return { name: chosen.name, path: chosen.path, beamSize: chosen.decoding.beamSize }
}

/** A running appliance with a separate data directory. Its methods throw when the appliance is lost. */
export async function startOurs (options: Options, { scratch, log }: Place): Promise<Ours> {
  const setup = { dataDir: join(scratch, 'data'), modelsDir: options.modelsDir }
  const key = await createKey(setup, 'evaluation')
  const appliance = await startAppliance(setup)
  const client = createClient(appliance.url, key)
  return {
    name: OURS,
    pids: [appliance.pid],
    transcribe: (recording) => transcribe(client, recording, options, log),
    async transcribeAll (recordings) {
      const ids = await Promise.all(recordings.map((recording) => client.submit(recording.path, toRequest(recording, options))))
      // One after another, so that polling costs little: all are complete when the last one is.
      for (const id of ids) await client.waitFor(id)
    },
    takePeak: () => takePeak(appliance.pid),
    residentBytes: () => readMemory(appliance.pid).residentBytes,
    stop: () => appliance.stop()
  }
}

/** The peak of a process's resident memory since the previous call. */
export function takePeak (pid: number): number {
  const { peakBytes } = readMemory(pid)
  resetPeak(pid)
  return peakBytes
}

/** The language to ask a transcriber for; "auto" if it has to detect it. */
export function languageOf (recording: Recording, language: string): string {
  return language === 'reference' ? recording.language ?? 'auto' : language
}

function toRequest (recording: Recording, { language, quality }: Options): Parameters<Client['submit']>[1] {
  const given = languageOf(recording, language)
  return { options: { sttQuality: quality, ...(recording.turns && { speakers: true }) }, ...(given !== 'auto' && { language: given }) }
}

async function transcribe (client: Client, recording: Recording, options: Options, log: Place['log']): Promise<Outcome> {
  const startedMs = performance.now()
  const id = await client.submit(recording.path, toRequest(recording, options)).catch((error: Error) => {
    // fetch throws a TypeError when the server is gone.
    if (error instanceof TypeError) throw error
    log(`${recording.name}: ${error.message}`)
  })
  if (id === undefined) return { failure: 'not_accepted' }
  const job = await client.follow(id, { everyMs: 20 })
  const wallMs = performance.now() - startedMs
  if (job.status === 'failed') return { failure: job.failure?.code ?? 'unknown' }
  return { wallMs, transcript: await readTranscript(client, id) }
}

async function readTranscript (client: Client, id: number): Promise<Transcript> {
  const { durationSeconds, segments, skipped, language } = await client.readDocument(id)
  const toMs = (seconds: number): number => Math.round(1000 * seconds)
  return {
    text: segments.map((segment) => segment.text).join('').trim(),
    words: segments.flatMap(({ words }) => words.map(({ word, start, end, speaker }) => ({
      text: word, startMs: toMs(start), endMs: toMs(end), ...(speaker !== undefined && { speaker })
    }))),
    durationMs: toMs(durationSeconds),
    ...(skipped && { skipped: skipped.map(({ start, end }) => ({ startMs: toMs(start), endMs: toMs(end) })) }),
    ...(language !== undefined && { language })
  }
}
