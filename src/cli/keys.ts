/** `stenobox keys`: API keys, on the data directory itself; the server may run or not. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { createKeyring } from '../app.js'
import { readConfig } from '../config.js'
import { PLANS } from '../domain/access.js'
import type { ApiKey, Plan } from '../domain/access.js'

type Keyring = ReturnType<typeof createKeyring>

function withKeyring<T> (work: (access: Keyring['access']) => T): T {
  const keyring = createKeyring(readConfig())
  try {
    return work(keyring.access)
  } finally {
    keyring.close()
  }
}

const date = (ms: number | undefined): string => ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

function toLine (key: ApiKey): string {
  const state = key.revokedAt === undefined ? `last used ${date(key.lastUsedAt)}` : `revoked ${date(key.revokedAt)}`
  return `${key.id}\t…${key.lastFour}\t${key.owner}\t${key.plan}\t${key.name}\tcreated ${date(key.createdAt)}\t${state}`
}

function create (options: { name: string, owner: string, plan?: Plan, json?: true }): void {
  const created = withKeyring((access) => access.create(options))
  if (options.json) return console.log(JSON.stringify({ id: created.id, key: created.key, owner: created.owner, plan: created.plan }))
  console.log(created.key)
  if (process.stdout.isTTY) console.error('Keep it: it is shown this once.')
}

function list (options: { json?: true }): void {
  const keys = withKeyring((access) => access.list())
  if (options.json) return console.log(JSON.stringify(keys))
  for (const key of keys) console.log(toLine(key))
}

function revoke (id: number): void {
  if (!withKeyring((access) => access.revoke(id))) throw new Error(`there is no live key ${id}; see: stenobox keys list`)
}

function parseId (text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('an id is a positive whole number')
  return Number(text)
}

const parseName = (text: string): string => {
  if (text.trim() === '' || text.length > 100) throw new InvalidArgumentError('1 to 100 characters')
  return text
}

export function keysCommand (): Command {
  const keys = new Command('keys').description('API keys')
  keys.command('create')
    .description('make a key and print it, this once')
    .requiredOption('--name <name>', 'what the key is for', parseName)
    .option('--owner <owner>', 'whose transcripts it sees', parseName, 'default')
    .addOption(new Option('--plan <plan>', 'limits of the key (default: those of its owner)').choices(PLANS))
    .option('--json', 'print {"id","key","owner","plan"}')
    .action(create)
  keys.command('list').description('all keys, without the keys themselves').option('--json', 'as JSON').action(list)
  keys.command('revoke').description('end a key at once').argument('<id>', 'number of the key', parseId).action(revoke)
  return keys
}
