/** `stenobox speakers`: shows, names, merges and identifies the speakers of a transcription, whether or not the server is running. */
import { Command, InvalidArgumentError } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAppliance } from '../app.js'
import type { Appliance } from '../app.js'
import { readConfig } from '../config.js'
import { DEFAULT_OWNER } from '../domain/access.js'
import type { SpeakersOption } from '../domain/speaker-options.js'
import { explainSpeakersFailure } from '../domain/warnings.js'
import { createLogger } from '../logger.js'
import type { SpeakersView } from '../service/speakers.js'
import type { Reader } from '../service/transcripts.js'
import { parseId } from './artifacts.js'
import { parseName } from './keys.js'

/** How often the state of the speakers is checked. */
const LOOK_MS = 200

type Options = { owner: string }
type Use = (appliance: Appliance, reader: Reader) => SpeakersView | Promise<SpeakersView>

const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

function show ({ status, failure, speakers }: SpeakersView): void {
  if (failure !== undefined) console.error(explainSpeakersFailure(failure))
  else if (status === 'pending') console.error('The speakers are being identified.')
  else if (status === 'none') console.error('The speakers were not identified. To do that: stenobox speakers identify')
  else if (speakers.length === 0) console.error('Nobody speaks in this recording.')
  for (const { label, name, talkMs } of speakers) console.log([label, clock(talkMs), ...name === undefined ? [] : [name]].join('\t'))
}

/** Does one thing with the speakers of an owner's transcription and shows them. */
async function run ({ owner }: Options, use: Use): Promise<void> {
  const appliance = await createAppliance(readConfig(), createLogger('error'))
  try {
    // Commands show speakers on every plan.
    show(await use(appliance, { ownerId: appliance.keys.requireOwner(owner), plan: 'enterprise' }))
  } finally {
    await appliance.close()
  }
}

/** How many people speak: `auto`, a number, or a range such as 2-4. Undefined for anything else. */
export function toCount (text: string): Exclude<SpeakersOption, false> | undefined {
  if (text === 'auto') return true
  const [, low = '', high] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(text) ?? []
  if (low === '') return undefined
  return high === undefined ? { exact: Number(low) } : { min: Number(low), max: Number(high) }
}

function parseCount (text: string): SpeakersOption {
  const count = toCount(text)
  if (count === undefined) throw new InvalidArgumentError('Give auto, a number such as 2, or a range such as 2-4.')
  return count
}

/** Waits until the speakers are known. Either this process or a server on the same data directory does the work. */
async function identify ({ speakers, start }: Appliance, id: number, reader: Reader, count: SpeakersOption): Promise<SpeakersView> {
  await speakers.identify(id, reader, count)
  start()
  for (;;) {
    const view = speakers.list(id, reader)
    if (view.status !== 'pending') return view
    await sleep(LOOK_MS)
  }
}

export function speakersCommand (): Command {
  const command = new Command('speakers').description('who speaks in a transcription')
  const add = (name: string, description: string): Command => command.command(name)
    .description(description)
    .argument('<id>', 'number of the transcription', parseId)
    .option('--owner <owner>', 'owner of the transcription', parseName, DEFAULT_OWNER)
  add('list', 'list the speakers, how long they talk, and their names')
    .action(async (id: number, options: Options) => { await run(options, ({ speakers }, reader) => speakers.list(id, reader)) })
  add('name', 'give a speaker a name, which transcripts show instead of the label')
    .argument('<label>', 'such as "Speaker 1"')
    .argument('<name>', 'an empty name removes the one given before')
    .action(async (id: number, label: string, name: string, options: Options) => {
      await run(options, ({ speakers }, reader) => speakers.change(id, reader, { speakers: [{ label, name }] }))
    })
  add('merge', 'make two speakers one')
    .argument('<from>', 'the label that goes, such as "Speaker 3"')
    .argument('<into>', 'the label that stays')
    .action(async (id: number, from: string, into: string, options: Options) => {
      await run(options, ({ speakers }, reader) => speakers.change(id, reader, { merge: [{ from, into }] }))
    })
  add('identify', 'identify the speakers again, or for the first time; the text stays as it is')
    .option('--speakers <number>', 'how many people speak: auto, a number, or a range such as 2-4', parseCount, true)
    .action(async (id: number, { speakers: count, ...options }: Options & { speakers: SpeakersOption }) => {
      await run(options, async (appliance, reader) => await identify(appliance, id, reader, count))
    })
  return command
}
