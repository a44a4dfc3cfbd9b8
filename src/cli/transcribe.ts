/** `stenobox transcribe FILE-OR-ADDRESS`: one recording to text, with or without a running server. */
import { Command, Option } from 'commander'
import { createWriteStream, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAppliance } from '../app.js'
import type { Appliance } from '../app.js'
import { readConfig } from '../config.js'
import { FAILURE_MESSAGES } from '../domain/errors.js'
import { hasEnded, jobProgress, MAX_PROMPT_LENGTH, STT_QUALITIES } from '../domain/job.js'
import type { JobOptions, SttQuality } from '../domain/job.js'
import { parseLanguage } from '../domain/language.js'
import { parseSourceUrl } from '../domain/source.js'
import { parseTerms } from '../domain/terms.js'
import { createLogger } from '../logger.js'
import { EXPORT_FORMATS, isBinaryFormat } from '../service/transcripts.js'
import type { Export, JobView } from '../service/transcripts.js'
import { createProgressBar } from './progress-bar.js'

/** How often the state of the job is looked at. */
const LOOK_MS = 200

type Options = {
  format: typeof EXPORT_FORMATS[number], quality: SttQuality, language?: string, prompt?: string, terms?: string, owner: string,
  output?: string
}

/** Waits for the end of a job, wherever it is worked on: here, or by a server on the same data directory. */
async function follow ({ transcripts }: Appliance, id: number, ownerId: number, signal: AbortSignal): Promise<JobView> {
  const bar = createProgressBar(process.stderr)
  try {
    for (;;) {
      const job = transcripts.read(id, ownerId)
      if (hasEnded(job)) return job
      bar.show(jobProgress(job), job.stage)
      signal.throwIfAborted()
      await sleep(LOOK_MS)
    }
  } finally {
    bar.clear()
  }
}

function interruptSignal (): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => { controller.abort(new Error('stopped; the job goes on with the next start of the server')) })
  }
  return controller.signal
}

/** To a file, or to stdout, which stays open. */
async function write ({ chunks }: Export, output: string | undefined): Promise<void> {
  const source = Readable.from(chunks)
  if (output === undefined) await pipeline(source, process.stdout, { end: false })
  else await pipeline(source, createWriteStream(output))
}

/** Makes the job of a file, or of what an address leads to. */
async function submit ({ ingest }: Appliance, source: string, submission: { ownerId: number, options: JobOptions }): Promise<number> {
  if (isAddress(source)) return await ingest.submitUrl({ ...submission, url: parseSourceUrl(source, 'address') })
  return await ingest.submitFile(source, { ...submission, fileName: basename(source) })
}

const isAddress = (source: string): boolean => /^https?:\/\//i.test(source)

async function transcribe (source: string, options: Options): Promise<void> {
  if (!isAddress(source) && !statSync(source, { throwIfNoEntry: false })?.isFile()) throw new Error(`there is no file ${source}`)
  const language = options.language === undefined ? undefined : parseLanguage(options.language)
  const terms = parseTerms(options.terms ?? '')
  // Before the work, not after it.
  if (options.output === undefined && isBinaryFormat(options.format) && process.stdout.isTTY) {
    throw new Error(`${options.format} is not text for a terminal: name a file with -o, or redirect the output`)
  }
  if (options.output !== undefined) writeFileSync(options.output, '')
  const signal = interruptSignal()
  const appliance = await createAppliance(readConfig(), createLogger('error'))
  try {
    const ownerId = appliance.keys.ensureOwner(options.owner)
    const jobOptions = {
      ...(language === undefined ? {} : { language }), sttQuality: options.quality,
      ...(options.prompt ? { prompt: options.prompt.slice(0, MAX_PROMPT_LENGTH) } : {}), terms
    }
    const id = await submit(appliance, source, { ownerId, options: jobOptions })
    if (process.stderr.isTTY) for (const warning of appliance.health.starterWarning()) console.error(`Note: ${warning}.`)
    appliance.start()
    const job = await follow(appliance, id, ownerId, signal)
    if (job.failureCode) throw new Error(`${job.failureCode}: ${FAILURE_MESSAGES[job.failureCode]}`)
    // Whoever sits at the machine may see all of it.
    await write(appliance.transcripts.render(id, { ownerId, plan: 'enterprise' }, options.format), options.output)
  } finally {
    await appliance.close()
  }
}

export function transcribeCommand (): Command {
  return new Command('transcribe')
    .description('transcribe one file, or what is at an address; the transcript goes to stdout, and into the library')
    .argument('<source>', 'audio or video; or an http or https address of it, of a page or of a podcast feed')
    .addOption(new Option('--format <format>', 'form of the transcript').choices(EXPORT_FORMATS).default('txt'))
    .addOption(new Option('--quality <quality>', 'model and effort').choices(STT_QUALITIES).default('balanced'))
    .option('--language <language>', 'spoken language, e.g. en or german; detected when left out')
    .option('--terms <list>', 'names and terms to expect, such as "Dashwood, Ada Lovelace"')
    .option('--prompt <text>', 'text that could stand before the recording, for its wording and its style')
    .option('--owner <owner>', 'whose library it joins', 'default')
    .option('-o, --output <file>', 'write the transcript to a file')
    .action(transcribe)
}
