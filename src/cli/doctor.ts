/** `stenobox doctor`: prints one line per check; exits with 1 when a check that matters fails. */
import { Command } from 'commander'
import { createAppliance } from '../app.js'
import { readConfig } from '../config.js'
import type { Check } from '../service/health.js'
import { createLogger } from '../logger.js'

function toLine ({ name, ok, matters, detail }: Check): string {
  const mark = ok ? 'ok  ' : matters ? 'FAIL' : 'warn'
  return `${mark}  ${name}: ${detail}`
}

async function doctor (): Promise<void> {
  const config = readConfig()
  const appliance = await createAppliance(config, createLogger('silent'))
  try {
    const checks = await appliance.health.checkAll()
    for (const check of checks) console.log(toLine(check))
    if (checks.some(({ ok, matters }) => !ok && matters)) process.exitCode = 1
  } finally {
    await appliance.close()
  }
}

export function doctorCommand (): Command {
  return new Command('doctor').description('check everything the appliance needs').action(doctor)
}
