/** Cleans up, at start and every hour. */
import type { Log } from '../domain/log.js'
import type { Uploads } from '../service/uploads.js'
import type { Usage } from '../service/usage.js'

const SWEEP_MS = 60 * 60_000

export function createSweep ({ uploads, usage, log }: { uploads: Pick<Uploads, 'sweep'>, usage: Pick<Usage, 'sweep'>, log: Log }) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  async function sweep (): Promise<void> {
    await uploads.sweep()
    usage.sweep()
  }
  const run = (): void => {
    running = sweep().catch((error: unknown) => { log.error({ err: error }, 'sweep failed') })
  }
  return {
    start (): void {
      run()
      timer = setInterval(run, SWEEP_MS)
    },
    async stop (): Promise<void> {
      clearInterval(timer)
      await running
    }
  }
}
