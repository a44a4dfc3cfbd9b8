/** `stenobox transcribe FILE-OR-URL`: transcribes one recording, whether or not the server is running. */
import { Command, Option } from 'commander'
import { createWriteStream, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAppliance } from '../app.js'
import type { Appliance } from '../app.js'
import { readConfig } from '../config.js'
import { DEFAULT_OWNER } from '../domain/access.js'
import { CHANNEL_MODES } from '../domain/channels.js'
import type { ChannelMode } from '../domain/channels.js'
import { FAILURE_MESSAGES } from '../domain/errors.js'
import { hasEnded, jobProgress, STT_QUALITIES } from '../domain/job.js'
import type { SpeakersOption } from '../domain/speaker-options.js'
import type { JobRequest } from '../domain/submission.js'
import { parseTerms } from '../domain/terms.js'
import { createLogger } from '../logger.js'
import { EXPORT_FORMATS, isBinaryFormat } from '../service/transcripts.js'
import type { Export, JobView } from '../service/transcripts.js'
import type { Consumer } from '../service/usage.js'
import { parseName } from './keys.js'
import { createProgressBar } from './progress-bar.js'
import { toCount } from './speakers.js'

/** How often the state of the job is read. */
const LOOK_MS = 200

type Options = {
  format: typeof EXPORT_FORMATS[number], quality: string, name?: string, language?: string, prompt?: string, terms?: string,
  channels: ChannelMode, speakers?: string, owner: string, output?: string
}

/** Waits until the job has ended. Either this process or a server on the same data directory does the work. */
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
    process.once(name, () => { controller.abort(new Error('stopped; the job continues when the server is started')) })
  }
  return controller.signal
}

/** Writes the transcript to a file, or to stdout, which stays open. */
async function write ({ chunks }: Export, output: string | undefined): Promise<void> {
  const source = Readable.from(chunks)
  if (output === undefined) await pipeline(source, process.stdout, { end: false })
  else await pipeline(source, createWriteStream(output))
}

const isAddress = (source: string): boolean => /^https?:\/\//i.test(source)

/** Creates the job of a file or of an address. */
async function submitSource ({ submit }: Appliance, source: string, caller: Consumer, request: JobRequest): Promise<number> {
  if (isAddress(source)) return (await submit.submitAddress(caller, { url: source, field: 'address' }, request)).job.id
  const local = { path: source, sizeBytes: statSync(source).size }
  return (await submit.submitFile(caller, local, { fileName: basename(source), ...request })).job.id
}

/** `auto`, `off`, a number, or a range such as 2-4. Throws an Error for anything else. */
function toSpeakers (text: string | undefined): SpeakersOption | undefined {
  if (text === undefined || text === 'off') return text === 'off' ? false : undefined
  const speakers = toCount(text)
  if (speakers === undefined) throw new Error('--speakers must be auto, off, a number such as 2, or a range such as 2-4')
  return speakers
}

/** Converts the options to a request, which `submit` checks. */
function toRequest ({ name, language, quality, terms, prompt, channels, speakers }: Options): JobRequest {
  return {
    ...(name === undefined ? {} : { fileName: name }),
    language,
    options: { sttQuality: quality, prompt, terms: parseTerms(terms ?? ''), channels, speakers: toSpeakers(speakers) }
  }
}

async function transcribe (source: string, options: Options): Promise<void> {
  if (!isAddress(source) && !statSync(source, { throwIfNoEntry: false })?.isFile()) throw new Error(`there is no file ${source}`)
  // These checks come before the work, which may take hours.
  if (options.output === undefined && isBinaryFormat(options.format) && process.stdout.isTTY) {
    throw new Error(`${options.format} cannot be shown on a terminal: name a file with -o, or redirect the output`)
  }
  // Appending an empty string checks that the file can be written, and does not change its content before there is a transcript.
  if (options.output !== undefined) writeFileSync(options.output, '', { flag: 'a' })
  const signal = interruptSignal()
  const appliance = await createAppliance(readConfig(), createLogger('error'))
  try {
    const ownerId = appliance.keys.ensureOwner(options.owner)
    const { plan } = appliance.owners.find(ownerId)
    const id = await submitSource(appliance, source, { ownerId, plan }, toRequest(options))
    if (process.stderr.isTTY) for (const warning of appliance.health.starterWarning()) console.error(`Note: ${warning}.`)
    appliance.start()
    const job = await follow(appliance, id, ownerId, signal)
    if (job.failureCode) throw new Error(`${job.failureCode}: ${FAILURE_MESSAGES[job.failureCode]}`)
    // Commands show speakers on every plan.
    await write(appliance.transcripts.render(id, { ownerId, plan: 'enterprise' }, options.format), options.output)
  } finally {
    await appliance.close()
  }
}

export function transcribeCommand (): Command {
  return new Command('transcribe')
    .description('transcribe a file or a URL; print the transcript and store it in the library')
    .argument('<source>', 'audio or video file, or the URL of a file, a web page or a podcast feed')
    .addOption(new Option('--format <format>', 'format of the transcript').choices(EXPORT_FORMATS).default('txt'))
    .addOption(new Option('--quality <quality>', 'model and effort').choices(STT_QUALITIES).default('balanced'))
    .option('--name <name>', 'name of the transcript; default: the file name, or the title at the source')
    .option('--language <language>', 'spoken language, such as en or german; default: detect it')
    .option('--terms <list>', 'names and terms to expect, such as "Dashwood, Ada Lovelace"')
    .option('--prompt <text>', 'text that could precede the recording; the transcript follows its wording and style')
    .addOption(new Option('--channels <mode>', 'channels of a stereo recording').choices(CHANNEL_MODES).default('auto'))
    .option('--speakers <number>', 'how many people speak: auto, off, a number, or a range such as 2-4')
    .option('--owner <owner>', 'owner of the transcript, created if new', parseName, DEFAULT_OWNER)
    .option('-o, --output <file>', 'write the transcript to a file')
    .action(transcribe)
}
