/** The appliance in this process. Everything is real, but requests are injected. No work is done unless started. */
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { createAppliance, createHttp } from '../../dist/app.js'
import type { Appliance, HttpLimits } from '../../dist/app.js'
import { readConfig } from '../../dist/config.js'
import { createLogger } from '../../dist/logger.js'
import type { Logger } from '../../dist/logger.js'
import { NO_MODELS } from './paths.ts'

export type Injected = {
  status: number
  headers: Record<string, unknown>
  body: { success: boolean, data: Record<string, unknown>, error: string, code: string, requestId: string }
}
export type TestAppliance = {
  appliance: Appliance
  http: FastifyInstance
  /** Creates a key for an owner. */
  key(owner?: string): string
  /** A request with a key; `payload` may be an object (sent as JSON) or anything inject takes. */
  call(
    key: string | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH',
    url: string,
    payload?: object | string | Buffer,
    headers?: Record<string, string>
  ): Promise<Injected>
}

export async function buildAppliance (
  t: Test,
  settings: Record<string, string> = {},
  now?: () => number,
  log: Logger = createLogger('silent'),
  limits: HttpLimits = {}
): Promise<TestAppliance> {
  const config = readConfig({
    STENOBOX_DATA_DIR: settings['STENOBOX_DATA_DIR'] ?? t.testdir(),
    STENOBOX_MODELS_DIR: NO_MODELS,
    STENOBOX_WORKERS: '1',
    STENOBOX_MIN_FREE_BYTES: '0',
    ...settings
  })
  const appliance = await createAppliance(config, log, now)
  const http = await createHttp(appliance, config, log, limits)
  t.teardown(async () => {
    await http.close()
    await appliance.close()
  })
  return {
    appliance,
    http,
    key: (owner = 'default') => appliance.keys.create({ name: 'test', owner, plan: 'enterprise' }).key,
    async call (key, method, url, payload, headers = {}) {
      const reply = await http.inject({
        method,
        url,
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
        ...(payload === undefined ? {} : { payload })
      })
      return { status: reply.statusCode, headers: reply.headers, body: reply.json() }
    }
  }
}
