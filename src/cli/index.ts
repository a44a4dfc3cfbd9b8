/** `stenobox`: the command line. Each command has its own file; this one lists them. */
import { Command } from 'commander'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'
import { artifactCommands } from './artifacts.js'
import { recordCommands } from './audit.js'
import { backupCommand, restoreCommand } from './backup.js'
import { doctorCommand } from './doctor.js'
import { evaluateCommand } from './evaluate.js'
import { keysCommand } from './keys.js'
import { modelsCommand } from './models.js'
import { oauthCommand } from './oauth.js'
import { searchCommand } from './search.js'
import { ownersCommand } from './owners.js'
import { serveCommand } from './serve.js'
import { speakersCommand } from './speakers.js'
import { termsCommand } from './terms.js'
import { transcribeCommand } from './transcribe.js'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

const program = new Command('stenobox')
  .description('Transcription appliance: recordings in, true timed words out, entirely on your own box.')
  .version(version)
  .addCommand(serveCommand())
  .addCommand(transcribeCommand())
  .addCommand(searchCommand())
  .addCommand(keysCommand())
  .addCommand(ownersCommand())
  .addCommand(termsCommand())
  .addCommand(speakersCommand())
  .addCommand(modelsCommand())
  .addCommand(oauthCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(doctorCommand())
  .addCommand(evaluateCommand())

for (const command of artifactCommands()) program.addCommand(command)

// `stenobox … | head` closes our stdout early, and a full disk may close the log. Neither needs a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => { process.exit(error.code === 'EPIPE' ? 0 : 1) })
process.stderr.on('error', () => {})

const record = recordCommands(program)
try {
  await program.parseAsync()
  record(process.exitCode ? 'failed' : 'done')
} catch (error) {
  record('failed')
  const message = error instanceof Error ? error.message : String(error)
  console.error(error instanceof ConfigError ? `The configuration is invalid:\n${message}` : `stenobox: ${message}`)
  process.exitCode = 1
}
