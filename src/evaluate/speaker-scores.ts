/** Speakers of recordings whose reference says who speaks: the appliance's engine on their sound, with the words of the transcript. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BYTES_PER_SAMPLE, samplesToMs } from '../domain/audio.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import { createWordSpeakers } from '../domain/speaker.js'
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
import { countWordsByText, countWordsByTime } from './speakers/words.js'
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
  /** By text where the reference has text with speakers, else by time; absent when there is no transcript. */
  words?: SpeakerWords & { by: 'text' | 'time' }
  /** Processing time over duration, on one thread. */
  realTimeFactor: number
}

async function findTurns (engine: SpeakerEngine, path: string, words: readonly HeardWord[]): Promise<SpeakerTurn[]> {
  const never = new AbortController().signal
  const endMs = samplesToMs(statSync(path).size / BYTES_PER_SAMPLE)
  const pieces: Uint8Array[] = []
  for (let startMs = 0; startMs < endMs; startMs += engine.pieceMs) {
    pieces.push(await engine.observe({ path, startMs, endMs: Math.min(endMs, startMs + engine.pieceMs) }, never))
  }
  return await engine.findTurns({ pieces, count: {}, words }, never)
}

function countWords ({ turns = [], sentences, reference }: Recording, words: readonly LabelledWord[]): SpeakerScore['words'] {
  const labelled = sentences?.flatMap(({ text, speaker }) => speaker === undefined ? [] : [{ text, speaker }]) ?? []
  if (labelled.length > 0 && reference) return { ...countWordsByText(labelled, words, reference.unit), by: 'text' }
  return { ...countWordsByTime(turns, words), by: 'time' }
}

async function measureOne (
  engine: SpeakerEngine, recording: Recording, outcome: Outcome | undefined, sound: string
): Promise<SpeakerScore> {
  const { name, path, turns: reference = [] } = recording
  const transcript = outcome && 'transcript' in outcome ? outcome.transcript : undefined
  await writeSamples(path, sound)
  const durationMs = samplesToMs(statSync(sound).size / BYTES_PER_SAMPLE)
  const startedMs = performance.now()
  const turns = await findTurns(engine, sound, transcript?.words ?? [])
  const realTimeFactor = (performance.now() - startedMs) / durationMs
  const speakerOf = createWordSpeakers(turns)
  const words = transcript && countWords(recording, transcript.words.map((word) => {
    const voice = speakerOf(word)?.voice
    return { ...word, ...(voice !== undefined && { speaker: String(voice) }) }
  }))
  const hypothesis = turns.map(({ startMs, endMs, voice }) => ({ startMs, endMs, speaker: String(voice) }))
  return {
    name,
    said: new Set(reference.map(({ speaker }) => speaker)).size,
    heard: new Set(turns.map(({ voice }) => voice)).size,
    errors: RULES.map((rules) => measureSpeakerErrors(reference, hypothesis, durationMs, rules)),
    realTimeFactor,
    ...(words && { words })
  }
}

/** Scores of the recordings that say who speaks, one after another. `outcomes`: their transcripts, in the same order. */
export async function measureSpeakers (
  recordings: readonly Recording[], outcomes: ReadonlyArray<Outcome | undefined>, modelsDir: string, { scratch, log }: Place
): Promise<SpeakerScore[]> {
  if (!recordings.some(({ turns }) => turns)) return []
  const models = createModels(modelsDir)
  await models.prepare()
  const [pool, modelPool] = [createSpeakerPool(), createSpeakerModelPool()]
  const directory = mkdtempSync(join(scratch, 'speakers-'))
  try {
    const bundled = createSpeakerEngine({ pool })
    const { engine, name, defect } = createSpeakerEngines({ models, pool: modelPool, bundled, setting: 'auto' }).choose()
    log(`speakers: ${name}${defect === undefined ? '' : `, because ${defect}`}`)
    const scores: SpeakerScore[] = []
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
