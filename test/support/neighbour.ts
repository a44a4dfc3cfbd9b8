/** The other side of `day-with-neighbours.ts`: a name server, a server of recordings and a receiver. Usage: node neighbour.ts FOLDER */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { startNameServer } from './name-server.ts'
import { serveFolder } from './source-server.ts'

const [folder = ''] = process.argv.slice(2)
const FILES = '10.77.0.10'
const HOOKS = '10.77.0.20'
const say = (line: string): void => { process.stdout.write(`${line}\n`) }

say('started')
await once(process.stdin, 'data')
for (const address of ['10.77.0.53', FILES, HOOKS]) execFileSync('ip', ['address', 'add', `${address}/24`, 'dev', 'far'])
execFileSync('ip', ['link', 'set', 'lo', 'up'])
execFileSync('ip', ['link', 'set', 'far', 'up'])

await startNameServer({ 'files.test': FILES, 'hooks.test': HOOKS }, { host: '10.77.0.53', port: 53 })
const files = createServer(serveFolder(folder)).listen(8000, FILES)
const hooks = createServer((request, response) => {
  request.resume()
  response.writeHead(204).end()
  say('received')
}).listen(9000, HOOKS)
await Promise.all([files, hooks].map(async (server) => await once(server, 'listening')))
say('ready')
