/** `stenobox keys`: manages API keys in the data directory, whether or not the server is running. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { createKeyring } from '../wiring/tools.js'
import { readConfig } from '../config.js'
import { DEFAULT_OWNER, MAX_GRACE_SECONDS, MAX_KEY_SECONDS, MAX_NAME_LENGTH, NAME_PATTERN, PLANS } from '../domain/access.js'
import type { Plan } from '../domain/access.js'
import type { CreatedKey, KeyView } from '../service/keys.js'

type Keyring = ReturnType<typeof createKeyring>

function withKeyring<T> (work: (keys: Keyring['keys']) => T): T {
  const keyring = createKeyring(readConfig())
  try {
    return work(keyring.keys)
  } finally {
    keyring.close()
  }
}

const date = (ms: number | undefined): string => ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

/** The state of a key in words: last use, end, replacement. */
function describeState (key: KeyView): string {
  const end =
    key.state === 'revoked'
      ? `revoked ${date(key.revokedAt)}`
      : key.expiresAt !== undefined && `${key.state === 'live' ? 'expires' : 'expired'} ${date(key.expiresAt)}`
  const parts = [`last used ${date(key.lastUsedAt)}`, end, key.replacedBy !== undefined && `replaced by ${key.replacedBy}`]
  return parts.filter((part) => part !== false).join(', ')
}

function toLine (key: KeyView): string {
  return `${key.id}\t…${key.lastFour}\t${key.owner}\t${key.plan}\t${key.name}\tcreated ${date(key.createdAt)}\t${describeState(key)}`
}

function show ({ id, key, owner, plan }: CreatedKey, json?: true): void {
  if (json) return console.log(JSON.stringify({ id, key, owner, plan }))
  console.log(key)
  if (process.stdout.isTTY) console.error('Save it now: it is not shown again.')
}

function create ({ json, expires, ...options }: { name: string, owner: string, plan?: Plan, expires?: number, json?: true }): void {
  show(withKeyring((keys) => keys.create({ ...options, expiresInSeconds: expires })), json)
}

function rotate (id: number, { grace, json }: { grace: number, json?: true }): void {
  show(withKeyring((keys) => keys.rotate(id, grace)), json)
}

function list (options: { json?: true }): void {
  const listed = withKeyring((keys) => keys.list())
  if (options.json) return console.log(JSON.stringify(listed))
  for (const key of listed) console.log(toLine(key))
}

function revoke (id: number): void {
  if (!withKeyring((keys) => keys.revoke(id))) throw new Error(`there is no live key ${id}; see: stenobox keys list`)
}

function parseId (text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give a positive whole number, which stenobox keys list shows.')
  return Number(text)
}

export const parseName = (text: string): string => {
  if ([...text].length > MAX_NAME_LENGTH || !new RegExp(NAME_PATTERN, 'u').test(text)) {
    throw new InvalidArgumentError(`Give 1 to ${MAX_NAME_LENGTH} characters, without control characters and without spaces at either end.`)
  }
  return text
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 24 * 3600 } as const

/** Returns a parser of `90s`, `30m`, `24h`, `7d` and `0` to seconds, within limits. */
const parseSpan = (min: number, max: number) => (text: string): number => {
  const [, digits, unit = 's'] = /^(\d{1,9})([smhd])$|^0$/.exec(text) ?? []
  const seconds = text === '0' ? 0 : Number(digits) * SECONDS[unit as keyof typeof SECONDS]
  if (!(seconds >= min && seconds <= max)) {
    throw new InvalidArgumentError(`Give a time such as 90s, 30m, 24h or 7d, at most ${max / SECONDS.d}d.`)
  }
  return seconds
}

export function keysCommand (): Command {
  const keys = new Command('keys').description('API keys')
  keys.command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption('--name <name>', 'what the key is for', parseName)
    .option('--owner <owner>', 'whose transcripts it sees', parseName, DEFAULT_OWNER)
    .addOption(new Option('--plan <plan>', 'limits of the key (default: the plan of its owner)').choices(PLANS))
    .option('--expires <time>', 'how long it is valid, such as 90d (default: forever)', parseSpan(1, MAX_KEY_SECONDS))
    .option('--json', 'print {"id","key","owner","plan"}')
    .action(create)
  keys.command('list').description('list all keys, without the keys themselves').option('--json', 'as JSON').action(list)
  keys.command('rotate')
    .description('replace a key with a new key like it and print the new key; it is not shown again')
    .argument('<id>', 'number of the key', parseId)
    .option('--grace <time>', 'how long the old key keeps working, such as 24h', parseSpan(0, MAX_GRACE_SECONDS), 0)
    .option('--json', 'print {"id","key","owner","plan"}')
    .action(rotate)
  keys.command('revoke').description('revoke a key at once').argument('<id>', 'number of the key', parseId).action(revoke)
  return keys
}
