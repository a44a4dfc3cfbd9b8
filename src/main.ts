/** Starts and stops the server. */
import { createAppliance, createHttp } from './app.js'
import type { Appliance } from './app.js'
import type { Config } from './config.js'
import type { Logger } from './logger.js'

export type Server = {
  address: string
  /** The first key, on the first start only. */
  firstKey: string | undefined
  /** Warnings for the person who starts the server. */
  warnings: string[]
  close (): Promise<void>
}

/** How long open requests may take to end. */
const GRACE_MS = 5000

/** Stops listening, lets open requests end, and disconnects those that take too long. */
async function closeWithin (http: Awaited<ReturnType<typeof createHttp>>, graceMs: number): Promise<void> {
  const timer = setTimeout(() => { http.server.closeAllConnections() }, graceMs)
  await http.close()
  clearTimeout(timer)
}

function createFirstKey ({ keys }: Appliance): string | undefined {
  if (keys.hasKeys()) return undefined
  return keys.create({ name: 'first start', owner: 'default', plan: 'enterprise' }).key
}

/** Starts serving. Throws when the port is taken or the data directory is unusable. */
export async function startServer (config: Config, log: Logger): Promise<Server> {
  const appliance = await createAppliance(config, log)
  const http = await createHttp(appliance, config, log)
  try {
    const address = await http.listen({ host: config.host, port: config.port, listenTextResolver: (text) => text })
    const firstKey = createFirstKey(appliance)
    appliance.start()
    return {
      address,
      firstKey,
      warnings: appliance.health.starterWarning(),
      async close () {
        // Stop work first: running jobs return to the queue within a second, even if a client takes long to disconnect.
        await appliance.stopWork()
        await closeWithin(http, GRACE_MS)
        await appliance.close()
      }
    }
  } catch (error) {
    await http.close()
    await appliance.close()
    throw error
  }
}
