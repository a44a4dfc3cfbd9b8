/** `stenobox terms`: names and terms of an owner, on the data directory itself; the server may run or not. */
import { Command } from 'commander'
import { createKeyring } from '../app.js'
import { readConfig } from '../config.js'
import { parseName } from './keys.js'

/** Changes the list of an owner, who is made when new, and prints it. */
function change (name: string, next: (terms: string[]) => string[]): void {
  const keyring = createKeyring(readConfig())
  try {
    const id = keyring.keys.ensureOwner(name)
    const { terms } = keyring.owners.change(id, { terms: next(keyring.owners.find(id).terms) })
    for (const term of terms) console.log(term)
  } finally {
    keyring.close()
  }
}

export function termsCommand (): Command {
  const terms = new Command('terms').description('names and terms that the recordings of an owner may hold')
  const add = (name: string): Command => terms.command(name).option('--owner <owner>', 'whose recordings', parseName, 'default')
  add('list')
    .description('all of them')
    .action(({ owner }: { owner: string }) => { change(owner, (known) => known) })
  add('add')
    .description('add some, spelled as transcripts should spell them, and list all; jobs made from now on expect them')
    .argument('<term...>', 'such as Dashwood "Ada Lovelace"')
    .action((given: string[], { owner }: { owner: string }) => { change(owner, (known) => [...known, ...given]) })
  add('remove')
    .description('remove some, and list the rest')
    .argument('<term...>', 'as it is listed')
    .action((given: string[], { owner }: { owner: string }) => { change(owner, (known) => known.filter((term) => !given.includes(term))) })
  return terms
}
