/** `stenobox terms`: manages names and terms of an owner in the data directory, whether or not the server is running. */
import { Command } from 'commander'
import { createKeyring } from '../wiring/tools.js'
import { readConfig } from '../config.js'
import { DEFAULT_OWNER } from '../domain/access.js'
import { parseName } from './keys.js'

/** Changes an owner's list and prints it. Throws when there is no such owner. */
function change (name: string, next: (terms: string[]) => string[]): void {
  const keyring = createKeyring(readConfig())
  try {
    const id = keyring.keys.requireOwner(name)
    const { terms } = keyring.owners.change(id, { terms: next(keyring.owners.find(id).terms) })
    for (const term of terms) console.log(term)
  } finally {
    keyring.close()
  }
}

export function termsCommand (): Command {
  const terms = new Command('terms').description('names and terms to expect in an owner\'s recordings')
  const add = (name: string): Command => terms.command(name).option('--owner <owner>', 'whose recordings', parseName, DEFAULT_OWNER)
  add('list')
    .description('list all terms')
    .action(({ owner }: { owner: string }) => { change(owner, (known) => known) })
  add('add')
    .description('add terms, spelled as transcripts should spell them, and list all; they apply to new jobs')
    .argument('<term...>', 'such as Dashwood "Ada Lovelace"')
    .action((given: string[], { owner }: { owner: string }) => { change(owner, (known) => [...known, ...given]) })
  add('remove')
    .description('remove terms and list the rest')
    .argument('<term...>', 'spelled as in the list')
    .action((given: string[], { owner }: { owner: string }) => { change(owner, (known) => known.filter((term) => !given.includes(term))) })
  return terms
}
