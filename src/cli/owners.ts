/** `stenobox owners`: manages owners in the data directory, whether or not the server is running. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { readFileSync } from 'node:fs'
import { createKeyring } from '../wiring/tools.js'
import { readConfig } from '../config.js'
import { MAX_DAYS, PASSWORD_LENGTH, PLANS, ROLES } from '../domain/access.js'
import type { Owner, Plan, Role } from '../domain/access.js'
import { MAX_SUBJECT_LENGTH } from '../domain/identity.js'
import { parseName } from './keys.js'

type Keyring = ReturnType<typeof createKeyring>
type Owners = Keyring['owners']

async function withKeyring<T> (work: (keyring: Keyring) => T | Promise<T>): Promise<T> {
  const keyring = createKeyring(readConfig())
  try {
    return await work(keyring)
  } finally {
    keyring.close()
  }
}

async function withOwners<T> (work: (owners: Owners) => T | Promise<T>): Promise<T> {
  return await withKeyring(async ({ owners }) => await work(owners))
}

/** Runs `work` with the id of the owner of this name. Throws an Error when there is none. */
async function withOwner<T> (name: string, work: (owners: Owners, id: number) => T | Promise<T>): Promise<T> {
  return await withOwners(async (owners) => await work(owners, idOf(owners, name)))
}

function idOf (owners: Owners, name: string): number {
  const owner = owners.findByName(name)
  if (!owner) throw new Error(`there is no owner ${name}; see: stenobox owners list`)
  return owner.id
}

const age = (days: number | undefined): string => days === undefined ? 'as configured' : days === 0 ? 'forever' : `${days} days`

function toLine ({ id, name, plan, role, hasPassword, mediaDays, transcriptDays, createdAt }: Owner): string {
  const created = new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ')
  const retention = `recordings ${age(mediaDays)}, transcripts ${age(transcriptDays)}`
  return `${id}\t${name}\t${plan}\t${hasPassword ? 'password' : 'no password'}\t${role}\t${retention}\tcreated ${created}`
}

async function list ({ json }: { json?: true }): Promise<void> {
  const listed = await withOwners((owners) => owners.list({ after: 0, limit: -1 }))
  if (json) return console.log(JSON.stringify(listed))
  for (const owner of listed) console.log(toLine(owner))
}

async function create (name: string, { plan }: { plan?: Plan }): Promise<void> {
  console.log(toLine(await withOwners((owners) => owners.create({ name, plan }))))
}

async function setPlan (name: string, plan: Plan): Promise<void> {
  console.log(toLine(await withOwner(name, (owners, id) => owners.change(id, { plan }))))
}

async function setRole (name: string, role: Role): Promise<void> {
  console.log(toLine(await withOwner(name, (owners, id) => owners.change(id, { role }))))
}

async function setPassword (name: string, { remove }: { remove?: true }): Promise<void> {
  // From stdin, because arguments can be seen by every user of the machine.
  const password = remove ? null : readFileSync(process.stdin.fd, 'utf8').replace(/\r?\n$/, '')
  const { min, max } = PASSWORD_LENGTH
  if (password !== null && ([...password].length < min || [...password].length > max)) {
    throw new Error(`a password has ${min} to ${max} characters; send it to stdin`)
  }
  await withOwner(name, async (owners, id) => { await owners.setPassword(id, password) })
}

async function setIdentity (name: string, subject: string | undefined, { remove }: { remove?: true }): Promise<void> {
  const { oauth } = readConfig()
  if ((subject === undefined) !== (remove === true)) throw new Error('give either a subject or --remove, not both')
  await withKeyring(({ owners, identities }) => {
    const id = idOf(owners, name)
    if (subject === undefined) return identities.end(id)
    if (!oauth || oauth.server) throw new Error('there is no identity provider; set STENOBOX_OAUTH_ISSUER')
    identities.replace(id, { issuer: oauth.issuer, subject })
  })
}

/** commander replaces null, so `default` stays a word until here. */
type Days = number | 'default'
type Ages = { recordings?: Days, transcripts?: Days }
const toDays = (days: Days | undefined): number | null | undefined => days === 'default' ? null : days

async function setRetention (name: string, { recordings, transcripts }: Ages): Promise<void> {
  const changes = { mediaDays: toDays(recordings), transcriptDays: toDays(transcripts) }
  console.log(toLine(await withOwner(name, (owners, id) => owners.changeRetention(id, changes))))
}

async function remove (name: string): Promise<void> {
  await withOwner(name, (owners, id) => { owners.remove(id) })
}

function parseSubject (text: string): string {
  if (text === '' || text.length > MAX_SUBJECT_LENGTH) throw new InvalidArgumentError(`Give 1 to ${MAX_SUBJECT_LENGTH} characters.`)
  return text
}

function parseDays (text: string): Days {
  if (text === 'default') return text
  const days = text === 'forever' ? 0 : Number(text)
  const isDays = text === 'forever' || (/^[1-9]\d*$/.test(text) && days <= MAX_DAYS)
  if (!isDays) throw new InvalidArgumentError(`Give a number of days up to ${MAX_DAYS}, forever, or default.`)
  return days
}

export function ownersCommand (): Command {
  const owners = new Command('owners').description('owners of transcripts')
  const ofOwner = (name: string): Command => owners.command(name).argument('<name>', 'name of the owner', parseName)
  owners.command('list').description('list all owners').option('--json', 'as JSON').action(list)
  ofOwner('create')
    .description('create an owner')
    .addOption(new Option('--plan <plan>', 'plan of new keys (default: enterprise)').choices(PLANS))
    .action(create)
  ofOwner('plan')
    .description('set the plan of an owner\'s new keys and tokens; existing keys keep their plan')
    .addArgument(owners.createArgument('<plan>', 'the new plan').choices(PLANS))
    .action(setPlan)
  ofOwner('role')
    .description('set whether an owner may administer the appliance on the page')
    .addArgument(owners.createArgument('<role>', 'the new role').choices(ROLES))
    .action(setRole)
  ofOwner('password')
    .description('set the password with which an owner signs in, read from stdin; sessions of the owner end')
    .option('--remove', 'remove it and the identity: the owner cannot log in')
    .action(setPassword)
  ofOwner('identity')
    .description('set which person of the identity provider signs in to the account of an owner; sessions of the owner end')
    .argument('[subject]', 'the claim sub of the person', parseSubject)
    .option('--remove', 'remove it: the person can no longer sign in, and gets no new account')
    .action(setIdentity)
  ofOwner('retention')
    .description('set how long recordings and transcripts of an owner are retained')
    .option('--recordings <days>', 'days, forever, or default', parseDays)
    .option('--transcripts <days>', 'days, forever, or default', parseDays)
    .action(setRetention)
  ofOwner('remove').description('remove an owner who has neither transcripts nor live keys').action(remove)
  return owners
}
