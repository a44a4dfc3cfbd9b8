/** `stenobox summary`, `chapters`, `quotes`, `repurpose`: makes text from a transcription, whether or not the server is running. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { createAppliance } from '../app.js'
import type { Appliance } from '../app.js'
import { readConfig } from '../config.js'
import { DEFAULT_OWNER } from '../domain/access.js'
import { ARTIFACT_MODES, STORED_MODES } from '../domain/artifact.js'
import type { Artifact, ArtifactMode, StoredMode } from '../domain/artifact.js'
import { createLogger } from '../logger.js'
import type { Reader } from '../service/transcripts.js'
import { parseName } from './keys.js'

const ABOUT: Record<StoredMode, string> = {
  summary: 'print the summary of a transcription',
  chapters: 'print the chapters of a transcription with their times',
  quotes: 'print the best quotes of a transcription with their times'
}

export function parseId (text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give the number of a transcription.')
  return Number(text)
}

type Make = (artifacts: Appliance['artifacts'], reader: Reader) => Promise<Artifact>

/** Prints what `make` returns. Starts no work of its own. */
async function print (owner: string, make: Make): Promise<void> {
  const appliance = await createAppliance(readConfig(), createLogger('error'))
  try {
    // Commands show speakers on every plan.
    const { content } = await make(appliance.artifacts, { ownerId: appliance.keys.requireOwner(owner), plan: 'enterprise' })
    console.log(content)
  } finally {
    await appliance.close()
  }
}

const withId = (name: string, description: string): Command => new Command(name)
  .description(description)
  .argument('<id>', 'number of the transcription', parseId)
  .option('--owner <owner>', 'owner of the transcription', parseName, DEFAULT_OWNER)

export function artifactCommands (): Command[] {
  const stored = STORED_MODES.map((mode) => withId(mode, ABOUT[mode])
    .action(async (id: number, { owner }: { owner: string }) => {
      await print(owner, async (artifacts, reader) => await artifacts.read(id, reader, mode))
    }))
  const repurpose = withId('repurpose', 'make a text from a transcription and print it')
    .addOption(new Option('--mode <mode>', 'what to make').choices(ARTIFACT_MODES).makeOptionMandatory())
    .action(async (id: number, { owner, mode }: { owner: string, mode: ArtifactMode }) => {
      await print(owner, async (artifacts, reader) => await artifacts.repurpose(id, reader, mode))
    })
  return [...stored, repurpose]
}
