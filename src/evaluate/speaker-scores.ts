/**
 * Speakers of recordings whose reference says who speaks: as the labels of words in the appliance's export tell it, and as its engine
 * tells it alone, on the sound.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BYTES_PER_SAMPLE, samplesToMs } from '../domain/audio.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import { createModels } from '../engine/models/models.js'
import { createSpeakerModelPool, createSpeakerPool } from '../engine/speech/pool.js'
import { createSpeakerEngines } from '../engine/speech/speaker-choice.js'
import { createSpeakerEngine } from '../engine/speech/speakers.js'
import type { SpeakerEngine } from '../engine/speech/speakers.js'
import type { Recording } from './folder.js'
import { writeSamples } from './machine/ffmpeg.js'
import type { HeardWord } from './times.js'
import type { Outcome, Place } from './transcribe.js'
import { measureSpeakerErrors } from './speakers/der.js'
import type { ErrorRules, SpeakerErrors } from './speakers/der.js'
import type { LabelledSpan } from './speakers/rttm.js'
import { countWordsByText, countWordsByTime, turnsOfWords } from './speakers/words.js'
import type { LabelledWord, SpeakerWords } from './speakers/words.js'

/** The four ways in which errors are usually counted. */
export const RULES: readonly ErrorRules[] = [
  { collarMs: 0, overlap: 'count' }, { collarMs: 0, overlap: 'leave' },
  { collarMs: 250, overlap: 'count' }, { collarMs: 250, overlap: 'leave' }
]

export type SpeakerScore = {
  name: string
  /** Numbers of speakers. */
  said: number
  heard: number
  /** In the order of `RULES`. */
  errors: readonly SpeakerErrors[]
}
/** `words`: by text where the reference has text with speakers, else by time. */
export type ExportedScore = SpeakerScore & { words: SpeakerWords & { by: 'text' | 'time' } }
/** `realTimeFactor`: processing time over duration, on one thread. */
export type EngineScore = SpeakerScore & { realTimeFactor: number }

function score (name: string, reference: readonly LabelledSpan[], hypothesis: readonly LabelledSpan[], durationMs: number): SpeakerScore {
  const count = (spans: readonly LabelledSpan[]): number => new Set(spans.map(({ speaker }) => speaker)).size
  return {
    name, said: count(reference), heard: count(hypothesis),
    errors: RULES.map((rules) => measureSpeakerErrors(reference, hypothesis, durationMs, rules))
  }
}

async function findTurns (engine: SpeakerEngine, path: string, words: readonly HeardWord[]): Promise<readonly SpeakerTurn[]> {
  const never = new AbortController().signal
  const endMs = samplesToMs(statSync(path).size / BYTES_PER_SAMPLE)
  const pieces: Uint8Array[] = []
  for (let startMs = 0; startMs < endMs; startMs += engine.pieceMs) {
    pieces.push(await engine.observe({ path, startMs, endMs: Math.min(endMs, startMs + engine.pieceMs) }, never))
  }
  return engine.fitToWords(await engine.findTurns({ pieces, count: {} }, never), words)
}

function countWords ({ turns = [], sentences, reference }: Recording, words: readonly LabelledWord[]): ExportedScore['words'] {
  const labelled = sentences?.flatMap(({ text, speaker }) => speaker === undefined ? [] : [{ text, speaker }]) ?? []
  if (labelled.length > 0 && reference) return { ...countWordsByText(labelled, words, reference.unit), by: 'text' }
  return { ...countWordsByTime(turns, words), by: 'time' }
}

/** Scores of what users get: the labels of words in the exports of the recordings that say who speaks and that were transcribed. */
export function scoreExports (recordings: readonly Recording[], outcomes: ReadonlyArray<Outcome | undefined>): ExportedScore[] {
  return recordings.flatMap((recording, index) => {
    const [{ name, turns }, outcome] = [recording, outcomes[index]]
    if (!turns || !outcome || !('transcript' in outcome)) return []
    const { words, durationMs } = outcome.transcript
    return [{ ...score(name, turns, turnsOfWords(words), durationMs), words: countWords(recording, words) }]
  })
}

async function measureOne (
  engine: SpeakerEngine, recording: Recording, outcome: Outcome | undefined, sound: string
): Promise<EngineScore> {
  const { name, path, turns: reference = [] } = recording
  await writeSamples(path, sound)
  const durationMs = samplesToMs(statSync(sound).size / BYTES_PER_SAMPLE)
  const startedMs = performance.now()
  const turns = await findTurns(engine, sound, outcome && 'transcript' in outcome ? outcome.transcript.words : [])
  const realTimeFactor = (performance.now() - startedMs) / durationMs
  const hypothesis = turns.map(({ startMs, endMs, voice }) => ({ startMs, endMs, speaker: String(voice) }))
  return { ...score(name, reference, hypothesis, durationMs), realTimeFactor }
}

/**
 * Scores of the engine alone, without the server, on the recordings that say who speaks, one after another. `outcomes`: their transcripts,
 * in the same order.
 */
export async function measureSpeakers (
  recordings: readonly Recording[], outcomes: ReadonlyArray<Outcome | undefined>, modelsDir: string, { scratch, log }: Place
): Promise<EngineScore[]> {
  if (!recordings.some(({ turns }) => turns)) return []
  const models = createModels(modelsDir)
  await models.prepare()
  const [pool, modelPool] = [createSpeakerPool(), createSpeakerModelPool()]
  const directory = mkdtempSync(join(scratch, 'speakers-'))
  try {
    const bundled = createSpeakerEngine({ pool })
    const { engine, name, defect } = createSpeakerEngines({ models, pool: modelPool, bundled, setting: 'auto' }).choose()
    log(`speakers: ${name}${defect === undefined ? '' : `, because ${defect}`}`)
    const scores: EngineScore[] = []
    for (const [index, recording] of recordings.entries()) {
      if (!recording.turns) continue
      try {
        scores.push(await measureOne(engine, recording, outcomes[index], join(directory, 'sound.raw')))
      } catch (error) {
        log(`${recording.name}: its speakers were not measured: ${(error as Error).message}`)
      }
    }
    return scores
  } finally {
    await Promise.all([pool.close(), modelPool.close()])
    rmSync(directory, { recursive: true })
  }
}
