/** Tells speakers apart: observes a recording piece by piece, then groups what was observed. */
import { join } from 'node:path'
import { moveToWords } from '../../domain/speaker-turns.js'
import type { SpeakerEvidence, SpokenWord } from '../../domain/speaker-turns.js'
import type { SpeakerTurn } from '../../domain/speaker.js'
import { BUNDLED_MODELS_DIR } from '../models/models.js'
import { withFlag } from './pool.js'
import type { SpeakerPool } from './pool.js'

export type SpeakerEngine = {
  /** Length of a piece of a recording in ms. A piece is one unit of work. */
  pieceMs: number
  /** Identifies engine, weights and form of the observations. Observations of another id must be made again. */
  id: string
  /** Loads the model. Rejects with a `SpeechError` that says why it cannot be loaded. */
  prepare (): Promise<void>
  /**
   * Looks at one piece, [startMs, endMs), of 16 kHz mono s16le sound. `startMs` is a multiple of `pieceMs`. Returns bytes to store, at
   * most about 60 kB. Rejects with `SpeechError`; with code `aborted` within a second after `signal` aborts.
   */
  observe (source: { path: string, startMs: number, endMs: number }, signal: AbortSignal): Promise<Uint8Array>
  /**
   * Finds who talks when, from the observations of all pieces in order of time. Turns are in order of their starts; voices are numbered
   * from 0 in the order of their first turns. Rejects with `SpeechError`; with code `aborted` within a second after `signal` aborts.
   */
  findTurns (evidence: SpeakerEvidence, signal: AbortSignal): Promise<SpeakerTurn[]>
  /** Makes the turns more exact by the words of the transcript, in order of time. The number of turns and their order stay. */
  fitToWords (turns: readonly SpeakerTurn[], words: readonly SpokenWord[]): readonly SpeakerTurn[]
}

/** The bundled voice print network. */
const FILES = {
  modelPath: join(BUNDLED_MODELS_DIR, 'starter', 'speaker-ge2e-wav.onnx'),
  whiteningPath: join(BUNDLED_MODELS_DIR, 'starter', 'speaker-ge2e-whitening.bin')
}
/** A whole number of the detector's frames. */
export const PIECE_MS = 60_000

/** The engine with the bundled weights. */
export function createSpeakerEngine ({ pool }: { pool: SpeakerPool }): SpeakerEngine {
  return {
    pieceMs: PIECE_MS,
    id: 'ge2e-3',
    prepare: async () => { await pool.run('prepareSpeakers', FILES) },
    observe: async ({ path, startMs, endMs }, signal) =>
      await withFlag(signal, async (abort) => await pool.run('observeSpeakers', { ...FILES, audioPath: path, startMs, endMs, abort })),
    findTurns: async (evidence, signal) =>
      await withFlag(signal, async (abort) => await pool.run('findTurns', { ...evidence, abort })),
    fitToWords: moveToWords
  }
}
