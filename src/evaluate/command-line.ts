/** The command line of `stenobox evaluate`. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { SttQuality } from '../domain/job.js'
import { FASTER_WHISPER_MODES } from './faster-whisper.js'
import { RIVALS } from './rivals.js'
import type { RivalOptions } from './rivals.js'
import type { Options } from './transcribe.js'

export type EvaluateOptions = Options & RivalOptions & {
  folders: string[]
  /** Folder that gets the recordings without speech, and is evaluated with the others. */
  synthesise?: string
  /** File that gets all figures and texts. */
  json?: string
  /** Document whose table between two marks is rewritten. */
  table?: string
  /** Whether the recordings are also evaluated joined into one. */
  joined: 'leave' | 'also'
  /** Whether every wrong, missed and invented word is listed. */
  differences: 'leave' | 'list'
  /** Alternating rounds in which speed is measured, all recordings handed over together; 0: none. */
  rounds: number
}

/** The command line is wrong, or there is nothing to evaluate. The message says what to change. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const QUALITIES: readonly SttQuality[] = ['fast', 'balanced', 'accurate']
const MAX_ROUNDS = 99

export const USAGE = `
Usage: stenobox evaluate [FOLDER…] [options]

Transcribes every recording of the folders and compares it with NAME.txt (what is said; empty: nothing) and
NAME.json ({"language":"en","sentences":[{"start":0.3,"end":2.7,"text":"…"}]}, in seconds) beside it. Where
NAME.rttm tells who speaks when, it reports how much of that was taken for no speech, and the errors of speakers; so it
does where every sentence of NAME.json has a "speaker".

  --synthesise DIR       make recordings without speech in DIR, and evaluate them too
  --quality Q            ${QUALITIES.join(', ')} (default: balanced)
  --models DIR           models directory (default: STENOBOX_MODELS_DIR, or models)
  --language L           auto (default), a code such as en, or reference: what NAME.json says
  --joined               also all recordings with a reference joined into one (those of --synthesise are left out)
  --differences          list every wrong, missed and invented word
  --rounds N             also speed: all recordings handed over together, and the joined one, medians of N rounds
  --against RIVALS       ${RIVALS.join(', ')}, or both with a comma: the same recordings, weights and beam
  --json FILE            write all figures and texts
  --table FILE           rewrite the table between the marks evaluation:start and evaluation:end in FILE

For --against faster-whisper:
  --faster-whisper-model DIR   CTranslate2 folder (with model.bin) of the same model
  --faster-whisper-mode MODES  of ${FASTER_WHISPER_MODES.join(', ')}, with commas (default: all)
  --faster-whisper-words W     on (default): it times words as Stenobox does; off: it does not
  --python PATH                Python that has the package (default: STENOBOX_EVALUATE_PYTHON, or python3)

Exit code: 0; 1 when a recording failed or a JSON or RTTM is unusable; 2 when there is nothing to evaluate.`.trim()

/** Values from the configuration, for options that are absent. */
export type Defaults = { modelsDir: string, python: string }

/** Throws UsageError. */
export function parseCommandLine (args: readonly string[], defaults: Defaults): EvaluateOptions | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  if (positionals.length === 0 && values.synthesise === undefined) throw new UsageError('name a folder')
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 0 || rounds > MAX_ROUNDS) throw new UsageError(`--rounds takes 0 to ${MAX_ROUNDS}`)
  const against = chooseSome('--against', values.against, RIVALS)
  return {
    folders: positionals,
    quality: chooseOne('--quality', values.quality, QUALITIES),
    modelsDir: resolve(values.models ?? defaults.modelsDir),
    language: values.language.toLowerCase(),
    joined: values.joined ? 'also' : 'leave',
    differences: values.differences ? 'list' : 'leave',
    rounds,
    against,
    fasterWhisper: {
      python: values.python ?? defaults.python,
      model: against.includes('faster-whisper') ? findFolder(values['faster-whisper-model']) : '',
      modes: chooseSome('--faster-whisper-mode', [values['faster-whisper-mode']], FASTER_WHISPER_MODES),
      words: chooseOne('--faster-whisper-words', values['faster-whisper-words'], ['on', 'off'])
    },
    ...(values.synthesise !== undefined && { synthesise: values.synthesise }),
    ...(values.json !== undefined && { json: values.json }),
    ...(values.table !== undefined && { table: values.table })
  }
}

function chooseOne<T extends string> (option: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value)
  if (found === undefined) throw new UsageError(`${option} takes ${known.join(', ')}, not ${value}`)
  return found
}

/** The named values without duplicates, in the order of `known`. Throws UsageError. */
function chooseSome<T extends string> (option: string, values: readonly string[], known: readonly T[]): T[] {
  const named = values.flatMap((value) => value.split(',')).map((value) => chooseOne(option, value.trim(), known))
  return known.filter((one) => named.includes(one))
}

function findFolder (folder: string | undefined): string {
  if (folder === undefined) throw new UsageError('faster-whisper needs --faster-whisper-model DIR: the same model as a CTranslate2 folder')
  if (!statSync(join(folder, 'model.bin'), { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(`--faster-whisper-model: there is no model.bin in ${folder}, so it is no CTranslate2 folder`)
  }
  return resolve(folder)
}

function parse (args: readonly string[]) {
  const text = (value: string) => ({ type: 'string', default: value } as const)
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'string' }, models: { type: 'string' }, synthesise: { type: 'string' }, python: { type: 'string' },
        'faster-whisper-model': { type: 'string' }, 'faster-whisper-words': text('on'),
        'faster-whisper-mode': text(FASTER_WHISPER_MODES.join(',')),
        against: { type: 'string', multiple: true, default: [] },
        quality: text('balanced'), language: text('auto'), rounds: text('0'),
        table: { type: 'string' }, joined: flag, differences: flag, help: { ...flag, short: 'h' }
      }
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
