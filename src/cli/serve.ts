/** `stenobox serve`: runs the appliance until it is asked to stop. */
import { Command } from 'commander'
import { readConfig } from '../config.js'
import { createLogger } from '../logger.js'
import { startServer } from '../main.js'
import { frame } from './frame.js'

function untilAskedToStop (): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}

async function serve (): Promise<void> {
  const config = readConfig()
  const log = createLogger(config.logLevel)
  const server = await startServer(config, log)
  // A program that reads the first line may ask the server to stop right then.
  const asked = untilAskedToStop()
  console.log(`Stenobox listens on ${server.address}`)
  console.log(server.setupUrl === undefined
    ? `Open the page: ${server.pageUrl}`
    : `Open the page to create the first account: ${server.setupUrl}`)
  if (server.firstKey) {
    console.log(`API key of the owner "${server.firstKey.owner}", shown only once: ${server.firstKey.key}`)
    console.log('More keys: npx stenobox keys create --name NAME')
  }
  if (server.warnings.length > 0 && config.firstModel !== 'none') console.log(frame(server.warnings))
  log.info({ workers: config.workers, threadsPerWorker: config.threadsPerWorker }, 'started')
  const signal = await asked
  log.info({ signal }, 'stopping')
  await server.close()
  log.info({}, 'stopped')
}

export function serveCommand (): Command {
  return new Command('serve').description('run the appliance').action(serve)
}
