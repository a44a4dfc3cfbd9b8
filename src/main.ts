/** Starts and stops the server. */
import { createAppliance, createHttp, takeServerLock } from './app.js'
import type { Appliance } from './app.js'
import type { Config } from './config.js'
import type { Logger } from './logger.js'

export type Server = {
  address: string
  /** The first key, on the first start only. */
  firstKey: string | undefined
  /** Where the page is. */
  pageUrl: string
  /** Where the first account is created, until there is one. It holds a secret. */
  setupUrl: string | undefined
  /** Warnings for the person who starts the server. */
  warnings: string[]
  close (): Promise<void>
}

/** How long open requests may take to end. */
const GRACE_MS = 5000

type Http = Awaited<ReturnType<typeof createHttp>>

/** Stops listening, lets open requests end, and disconnects those that take too long. */
async function closeWithin (http: Http, graceMs: number): Promise<void> {
  const timer = setTimeout(() => { http.server.closeAllConnections() }, graceMs)
  await http.close()
  clearTimeout(timer)
}

function createFirstKey ({ keys }: Appliance): string | undefined {
  if (keys.hasKeys()) return undefined
  return keys.create({ name: 'first start', owner: 'default', plan: 'enterprise' }).key
}

/** Why the server cannot listen, as a sentence that says what to do; other errors unchanged. */
function explainListen (error: unknown, { host, port }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const fail = (sentence: string): Error => new Error(`${sentence} (${code})`, { cause: error })
  const setHost = 'set STENOBOX_HOST to an address of this machine'
  if (code === 'EADDRINUSE') return fail(`port ${port} of ${host} is in use by another program; stop it, or set STENOBOX_PORT`)
  if (code === 'EACCES') return fail(`port ${port} needs more rights; set STENOBOX_PORT to a port from 1024 upward`)
  if (code === 'EADDRNOTAVAIL') return fail(`${host} is not an address of this machine; ${setHost}`)
  if (['ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) return fail(`the host ${host} has no address; ${setHost}`)
  return error
}

/** Starts serving. Throws an Error that says what to do when the port or the data directory is taken or unusable. */
export async function startServer (config: Config, log: Logger): Promise<Server> {
  const appliance = await createAppliance(config, log)
  let lock: ReturnType<typeof takeServerLock> | undefined
  let http: Http | undefined
  const close = async (): Promise<void> => {
    // Stop work first: running jobs return to the queue within a second, even if a client takes long to disconnect.
    await appliance.stopWork()
    if (http) await closeWithin(http, GRACE_MS)
    await appliance.close()
    lock?.release()
  }
  try {
    lock = takeServerLock(config)
    http = await createHttp(appliance, config, log)
    const address = await http.listen({ host: config.host, port: config.port, listenTextResolver: (text) => text })
    const firstKey = createFirstKey(appliance)
    const { setup } = appliance
    const pageUrl = `${config.publicUrl ?? address}/`
    const setupUrl = setup.isNeeded() ? `${pageUrl}setup?token=${setup.token}` : undefined
    appliance.start()
    return { address, firstKey, pageUrl, setupUrl, warnings: appliance.health.starterWarning(), close }
  } catch (error) {
    await close()
    throw explainListen(error, config)
  }
}
