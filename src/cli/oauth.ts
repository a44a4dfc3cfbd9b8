/**
 * `stenobox oauth`: manages clients and grants of our own authorization server in the data directory, whether or not the server is running.
 */
import { Command } from 'commander'
import { createOauthTools } from '../wiring/tools.js'
import { readConfig } from '../config.js'
import type { OauthClient, OauthGrant } from '../domain/oauth.js'
import { parseName } from './keys.js'

type Oauth = ReturnType<typeof createOauthTools>['oauth']

function withOauth<T> (work: (oauth: Oauth) => T): T {
  const tools = createOauthTools(readConfig())
  try {
    return work(tools.oauth)
  } finally {
    tools.close()
  }
}

const date = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

const clientLine = ({ id, name, redirectUris, isDynamic, createdAt }: OauthClient): string =>
  `${id}\t${name}\t${redirectUris.join(' ')}\t${isDynamic ? 'registered itself' : 'added'} ${date(createdAt)}`

const grantLine = ({ id, owner, client, createdAt, expiresAt }: OauthGrant): string =>
  `${id}\t${owner}\t${client}\tgranted ${date(createdAt)}\tuntil ${date(expiresAt)}`

function print<T> (things: readonly T[], toLine: (thing: T) => string, { json }: { json?: true }): void {
  if (json) return console.log(JSON.stringify(things))
  // Clients choose their names, and a terminal obeys control characters.
  for (const thing of things) console.log(toLine(thing).replace(/[^\P{Cc}\t]/gu, '�'))
}

function add (options: { name: string, redirectUri: string[], json?: true }): void {
  const client = withOauth((oauth) => oauth.addClient({ name: options.name, redirectUris: options.redirectUri }))
  console.log(options.json ? JSON.stringify(client) : client.id)
}

function listClients (options: { json?: true }): void {
  print(withOauth((oauth) => oauth.listClients()), clientLine, options)
}

function listGrants (options: { json?: true }): void {
  print(withOauth((oauth) => oauth.listGrants()), grantLine, options)
}

function removeClient (id: string): void {
  if (!withOauth((oauth) => oauth.removeClient(id))) throw new Error(`there is no client ${id}; see: stenobox oauth clients list`)
}

function revokeGrant (id: string): void {
  if (!withOauth((oauth) => oauth.revokeGrant(id))) throw new Error(`there is no grant ${id}; see: stenobox oauth grants list`)
}

function clientsCommand (): Command {
  const clients = new Command('clients').description('programs that may ask owners for access')
  clients.command('add')
    .description('register a program and print its client id')
    .requiredOption('--name <name>', 'the name that owners see on the consent page', parseName)
    .requiredOption('--redirect-uri <uri...>', 'where codes may be sent: https, http://127.0.0.1 (any port), or the app\'s own scheme')
    .option('--json', 'print the client')
    .action(add)
  clients.command('list').description('list all clients').option('--json', 'as JSON').action(listClients)
  clients.command('remove').description('remove a program and its grants').argument('<id>', 'client id').action(removeClient)
  return clients
}

function grantsCommand (): Command {
  const grants = new Command('grants').description('access that owners gave to programs')
  grants.command('list').description('list all grants').option('--json', 'as JSON').action(listGrants)
  grants
    .command('revoke')
    .description('revoke a grant: no new tokens; the last one works for at most 15 minutes')
    .argument('<id>', 'id of the grant')
    .action(revokeGrant)
  return grants
}

export function oauthCommand (): Command {
  return new Command('oauth')
    .description('clients and grants of the authorization server')
    .addCommand(clientsCommand())
    .addCommand(grantsCommand())
}
