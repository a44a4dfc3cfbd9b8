/** Runs other programs on the same recordings, with the same weights and beam. */
import { mkdtempSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startFasterWhisper } from './faster-whisper.js'
import type { FasterWhisper, FasterWhisperMode, FasterWhisperOptions, Missing } from './faster-whisper.js'
import { convertToWav } from './machine/ffmpeg.js'
import { buildWhisperCli, runWhisperCli } from './whisper-cli.js'
import type { Recording } from './folder.js'
import { languageOf, takePeak } from './transcribe.js'
import type { Model, Place, Transcriber } from './transcribe.js'

export const RIVALS = ['whisper-cli', 'faster-whisper'] as const
export type RivalKind = typeof RIVALS[number]

export type RivalOptions = {
  /** As for the appliance: a code, "auto" or "reference". */
  language: string
  against: readonly RivalKind[]
  fasterWhisper: Omit<FasterWhisperOptions, 'mode' | 'beamSize'> & { modes: readonly FasterWhisperMode[] }
}

const ABOUT_WHISPER_CLI = 'whisper-cli: same weights and beam, -mc 0, reads WAV made beforehand. One process for each file, so its ' +
  'time includes loading the weights; in the rounds of speed one for all.'

/** `wallMs` includes loading the weights with whisper-cli, and not with faster-whisper. */
export type RivalOutcome = { wallMs: number, text: string } | { failure: string }
export type Rival = Transcriber<RivalOutcome>

/** Starts the rivals that were asked for. One that this machine does not have is left out, and a sentence in `notes` says so. */
export async function startRivals (options: RivalOptions, model: Model, place: Place): Promise<{ rivals: Rival[], notes: string[] }> {
  const rivals: Rival[] = []
  const notes: string[] = []
  try {
    if (options.against.includes('whisper-cli')) rivals.push(await startWhisperCli(options, model, place))
    for (const mode of options.against.includes('faster-whisper') ? options.fasterWhisper.modes : []) {
      place.log(`faster-whisper ${mode}: loading the weights …`)
      const started = await startFasterWhisper({ ...options.fasterWhisper, mode, beamSize: model.beamSize })
      if (isMissing(started)) return { rivals, notes: [...notes, `faster-whisper is left out: ${started.missing}.`] }
      rivals.push(toRival(started, mode, options, place))
    }
  } catch (error) {
    await stopAll(rivals)
    throw error
  }
  for (const { about } of rivals) if (about !== undefined) notes.push(about)
  return { rivals, notes: [...new Set(notes)] }
}

export async function stopAll (transcribers: ReadonlyArray<{ stop: () => Promise<void> }>): Promise<void> {
  await Promise.all(transcribers.map((one) => one.stop()))
}

function isMissing (started: FasterWhisper | Missing): started is Missing {
  return 'missing' in started
}

/** Returns a function that converts a recording to WAV, once. */
function createConverter (scratch: string): (recording: Recording) => Promise<string> {
  const wavs = new Map<string, Promise<string>>()
  return ({ path }) => {
    const wav = wavs.get(path) ?? convertToWav(path, join(mkdtempSync(join(scratch, 'wav-')), 'audio.wav'))
    wavs.set(path, wav)
    return wav
  }
}

async function startWhisperCli ({ language }: RivalOptions, { path: weights, beamSize }: Model, { scratch, log }: Place): Promise<Rival> {
  const program = await buildWhisperCli(log)
  const toWav = createConverter(scratch)
  let peakBytes = 0
  const run = async (spoken: string, files: readonly string[]): Promise<{ seconds: number, texts: string[] }> => {
    // A new directory, so that a text that was not written is never read from an earlier run.
    const own = mkdtempSync(join(scratch, 'whisper-cli-'))
    const ran = await runWhisperCli({ program, weights, wavs: files, scratch: own, language: spoken, beamSize })
    peakBytes = Math.max(peakBytes, ran.peakBytes)
    return ran
  }
  return {
    name: 'whisper-cli',
    about: ABOUT_WHISPER_CLI,
    pids: [],
    async prepare (recordings) {
      // A recording that cannot be converted fails later, when it is transcribed.
      for (const recording of recordings) await Promise.allSettled([toWav(recording)])
    },
    async transcribe (recording) {
      try {
        const { seconds, texts } = await run(languageOf(recording, language), [await toWav(recording)])
        return { wallMs: 1000 * seconds, text: texts[0] ?? '' }
      } catch (error) {
        log(`whisper-cli, ${recording.name}: ${(error as Error).message}`)
        return { failure: 'failed' }
      }
    },
    async transcribeAll (recordings) {
      const files = await Promise.all(recordings.map(toWav))
      const spoken = recordings.map((recording) => languageOf(recording, language))
      // One run of whisper-cli has one language for all its files.
      for (const one of new Set(spoken)) await run(one, files.filter((_, index) => spoken[index] === one))
    },
    takePeak () {
      const peak = peakBytes
      peakBytes = 0
      return peak
    },
    stop: async () => {}
  }
}

function toRival (fasterWhisper: FasterWhisper, mode: FasterWhisperMode, options: RivalOptions, { log }: Place): Rival {
  const { language, fasterWhisper: { words } } = options
  const { pid, version, loadSeconds, stop } = fasterWhisper
  const transcribe = async (recording: Recording): Promise<RivalOutcome> => {
    const startedMs = performance.now()
    // If the process has ended, this recording and all later ones fail.
    const answer = await fasterWhisper.transcribe(recording.path, languageOf(recording, language))
      .catch(({ message }: Error) => ({ failure: message }))
    if ('text' in answer) return { wallMs: performance.now() - startedMs, text: answer.text }
    log(`faster-whisper ${mode}, ${recording.name}: ${answer.failure}`)
    return { failure: 'failed' }
  }
  return {
    name: `faster-whisper ${mode}`,
    about: `faster-whisper ${version}: same beam, int8, ${availableParallelism()} threads, word times ${words}, all else as it comes ` +
      '(vad: with its own detector; batched: 8 windows at once). One process for each mode, its weights loaded before the clock runs.',
    loadSeconds,
    pids: [pid],
    transcribe,
    async transcribeAll (recordings) {
      for (const recording of recordings) {
        if ('failure' in await transcribe(recording)) throw new Error(`faster-whisper ${mode} failed on ${recording.name}`)
      }
    },
    takePeak: () => takePeak(pid),
    stop
  }
}
