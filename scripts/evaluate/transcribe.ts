/** The recordings through the real appliance, one after another; and through whisper-cli, when asked. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SttQuality } from '../../src/domain/job.ts'
import { createKey, readMemory, startAppliance } from '../bench/appliance.ts'
import { createClient } from '../bench/client.ts'
import type { Client } from '../bench/client.ts'
import { measureOthers } from '../bench/load.ts'
import { ROOT } from '../bench/paths.ts'
import { convertToWav } from '../bench/recordings.ts'
import { buildWhisperCli, runWhisperCli } from '../bench/whisper-cli.ts'
import type { Recording } from './folder.ts'
import type { HeardWord } from './times.ts'

export type Options = {
  modelsDir: string
  quality: SttQuality
  /** A code; "auto" has it detected, "reference" gives what the recording's JSON says. */
  language: string
}
export type Place = { scratch: string, log: (line: string) => void }

export type Transcript = { text: string, language?: string, durationMs: number, words: HeardWord[] }
/** `wallMs`: from the first byte uploaded to the last answer. */
export type Outcome = { wallMs: number, transcript: Transcript } | { failure: string }
export type ApplianceRun = { outcomes: Outcome[], residentBytes: number, peakBytes: number, othersShare: number }
/** `wallMs`: of the whole process, which loads the weights anew for each file. */
export type CliOutcome = { wallMs: number, text: string } | { failure: string }

export type Model = { name: string, path: string, beamSize: number }

/** The model that the appliance takes for the quality. Throws an Error when there is none. */
export async function chooseModel ({ modelsDir, quality }: Options): Promise<Model> {
  const { createModels } = await import(new URL('dist/engine/models.js', `file://${ROOT}`).href) as typeof import('../../src/engine/models.ts')
  const models = createModels(modelsDir)
  await models.prepare()
  const chosen = models.choose(quality)
  if (!chosen) throw new Error('no model is installed; see: stenobox doctor')
  return { name: chosen.name, path: chosen.path, beamSize: chosen.decoding.beamSize }
}

/** One at a time, so that a recording's time is its own. Throws when the appliance itself is lost. */
export async function runAppliance (recordings: readonly Recording[], options: Options, { scratch, log }: Place): Promise<ApplianceRun> {
  const setup = { dataDir: join(scratch, 'data'), modelsDir: options.modelsDir }
  const key = await createKey(setup, 'evaluation')
  const appliance = await startAppliance(setup)
  try {
    const client = createClient(appliance.url, key)
    const { result: outcomes, othersShare } = await measureOthers([appliance.pid], async () => {
      const all: Outcome[] = []
      for (const recording of recordings) {
        log(`${all.length + 1} of ${recordings.length}: ${recording.name}`)
        all.push(await transcribe(client, recording, options, log))
      }
      return all
    })
    return { outcomes, othersShare, ...readMemory(appliance.pid) }
  } finally {
    await appliance.stop()
  }
}

async function transcribe (client: Client, recording: Recording, { language, quality }: Options, log: Place['log']): Promise<Outcome> {
  const given = givenLanguage(recording, language)
  const startedMs = performance.now()
  const id = await client.submit(recording.path, { options: { sttQuality: quality }, ...(given !== undefined && { language: given }) }).catch((error: Error) => {
    // What fetch throws: nobody listens any more.
    if (error instanceof TypeError) throw error
    log(`${recording.name}: ${error.message}`)
  })
  if (id === undefined) return { failure: 'not_accepted' }
  const job = await client.follow(id, { everyMs: 20 })
  const wallMs = performance.now() - startedMs
  if (job.status === 'failed') return { failure: job.failure?.code ?? 'unknown' }
  const { durationSeconds, segments, ...rest } = await client.readDocument(id)
  const words = segments.flatMap((segment) => segment.words.map(({ word, start, end }) => ({ text: word, startMs: Math.round(1000 * start), endMs: Math.round(1000 * end) })))
  const text = segments.map((segment) => segment.text).join('').trim()
  return { wallMs, transcript: { text, words, durationMs: Math.round(1000 * durationSeconds), ...(rest.language !== undefined && { language: rest.language }) } }
}

/** Same weights, same beam, no text context, one file to a process. */
export async function runCli (recordings: readonly Recording[], options: Options, model: Model, { scratch, log }: Place): Promise<CliOutcome[]> {
  const program = await buildWhisperCli(log)
  const outcomes: CliOutcome[] = []
  for (const recording of recordings) {
    log(`whisper-cli, ${outcomes.length + 1} of ${recordings.length}: ${recording.name}`)
    // Its own, so that a text it fails to write is never that of the file before.
    const own = mkdtempSync(join(scratch, 'whisper-cli-'))
    try {
      const wav = await convertToWav(recording.path, join(own, 'audio.wav'))
      const language = givenLanguage(recording, options.language) ?? 'auto'
      const run = await runWhisperCli({ program, weights: model.path, wavs: [wav], scratch: own, language, beamSize: model.beamSize })
      outcomes.push({ wallMs: 1000 * run.seconds, text: run.texts[0] ?? '' })
    } catch (error) {
      log(`whisper-cli, ${recording.name}: ${(error as Error).message}`)
      outcomes.push({ failure: 'failed' })
    } finally {
      rmSync(own, { recursive: true, force: true })
    }
  }
  return outcomes
}

/** Language the transcriber is told; undefined when it has to find out. */
function givenLanguage (recording: Recording, language: string): string | undefined {
  if (language === 'reference') return recording.language
  return language === 'auto' ? undefined : language
}
