/** An appliance with weights that a benchmark chooses. */
import { join } from 'node:path'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { installModel } from './model-directory.ts'
import type { BenchContext } from './report.ts'

type Setup = { name: string, weights: string, beamSize: number }

/** Runs an appliance with these weights until `use` ends, with a separate data directory `name`. */
export async function withAppliance<T> (
  { scratch }: BenchContext, { name, weights, beamSize }: Setup, use: (client: Client, pid: number) => Promise<T>
): Promise<T> {
  const modelsDir = await installModel(join(scratch, `models-${name}`), weights, beamSize)
  const options = { dataDir: join(scratch, `data-${name}`), modelsDir }
  const key = await createKey(options, 'bench')
  const appliance = await startAppliance(options)
  try {
    return await use(createClient(appliance.url, key), appliance.pid)
  } finally {
    await appliance.stop()
  }
}
