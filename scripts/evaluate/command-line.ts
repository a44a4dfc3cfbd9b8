/** The options of an evaluation, as a person writes them. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { SttQuality } from '../../src/domain/job.ts'
import { ROOT } from '../bench/paths.ts'
import type { Options } from './transcribe.ts'

export type EvaluateOptions = Options & {
  folders: string[]
  /** Folder that gets the recordings without speech, and is evaluated with the others. */
  synthesise?: string
  /** File that gets all figures and texts. */
  json?: string
  readme: 'leave' | 'write'
  against?: 'whisper-cli'
}

/** What was asked for cannot be begun. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const QUALITIES: readonly SttQuality[] = ['fast', 'balanced', 'accurate']

export const USAGE = `
Usage: stenobox evaluate [FOLDER…] [options]

Transcribes every recording of the folders and compares it with NAME.txt (what is said; empty: nothing) and
NAME.json ({"language":"en","sentences":[{"start":0.3,"end":2.7,"text":"…"}]}, in seconds) beside it.

  --synthesise DIR       make recordings without speech in DIR, and evaluate them too
  --quality Q            ${QUALITIES.join(', ')} (default: balanced)
  --models DIR           models directory (default: STENOBOX_MODELS_DIR, or models)
  --language L           auto (default), a code such as en, or reference: what NAME.json says
  --against whisper-cli  the same recordings through whisper-cli with the same weights and beam
  --json FILE            write all figures and texts
  --readme               rewrite the table in README.md

Exit code: 0; 1 when a recording failed or a JSON is unusable; 2 when there is nothing to evaluate.`.trim()

/** Throws UsageError. */
export function parseCommandLine (args: readonly string[], modelsDir: string = process.env['STENOBOX_MODELS_DIR'] || resolve(ROOT, 'models')): EvaluateOptions | 'help' {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  if (positionals.length === 0 && values.synthesise === undefined) throw new UsageError('name a folder')
  const quality = QUALITIES.find((known) => known === values.quality)
  if (!quality) throw new UsageError(`--quality is one of ${QUALITIES.join(', ')}`)
  if (values.against !== undefined && values.against !== 'whisper-cli') throw new UsageError('--against takes whisper-cli')
  return {
    folders: positionals,
    quality,
    modelsDir: resolve(values.models ?? modelsDir),
    language: values.language.toLowerCase(),
    readme: values.readme ? 'write' : 'leave',
    ...(values.synthesise !== undefined && { synthesise: values.synthesise }),
    ...(values.json !== undefined && { json: values.json }),
    ...(values.against !== undefined && { against: values.against })
  }
}

function parse (args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'string' }, models: { type: 'string' }, synthesise: { type: 'string' }, against: { type: 'string' },
        quality: { type: 'string', default: 'balanced' }, language: { type: 'string', default: 'auto' },
        readme: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false }
      }
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
