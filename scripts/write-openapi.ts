/**
 * Writes the OpenAPI document of the built program to src/routes/openapi.json, the copy that clients are generated from. A test
 * compares the two.
 *
 *   node scripts/write-openapi.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAppliance, createHttp } from '../dist/app.js'
import { readConfig } from '../dist/config.js'
import { createLogger } from '../dist/logger.js'

const dataDir = mkdtempSync(join(tmpdir(), 'stenobox-openapi-'))
const config = readConfig({ STENOBOX_DATA_DIR: dataDir })
const log = createLogger('error')
const appliance = await createAppliance(config, log)
const http = await createHttp(appliance, config, log)
const reply = await http.inject({ url: '/api/v1/openapi.json' })
if (reply.statusCode !== 200) throw new Error(reply.body)
writeFileSync(new URL('../src/routes/openapi.json', import.meta.url), JSON.stringify(reply.json(), null, 2) + '\n')
await http.close()
await appliance.close()
rmSync(dataDir, { recursive: true })
