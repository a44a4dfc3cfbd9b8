/** Records commands in the audit log, if one is configured: which command, on what, and whether it worked. */
import type { Command } from 'commander'
import { readConfig } from '../config.js'
import { createLogger } from '../logger.js'
import type { Audit } from '../service/audit.js'
import { openCommandAudit } from '../wiring/tools.js'

/** Arguments and options that say what a command is about. Others may be texts, names of recordings or secrets. */
const TARGETS = ['id', 'owner', 'plan']

const fullName = (command: Command): string => command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

function targetOf (command: Command): Record<string, string | number> {
  const given = command.registeredArguments.map((argument, index) => [argument.name(), command.processedArgs[index]] as [string, unknown])
  // The commands of owners call the owner `name`.
  const named = given.map(([name, value]) => [name === 'name' && command.parent?.name() === 'owners' ? 'owner' : name, value] as const)
  return Object.fromEntries([...Object.entries<unknown>(command.opts()), ...named].filter((entry): entry is [string, string | number] =>
    TARGETS.includes(entry[0]) && ['string', 'number'].includes(typeof entry[1])))
}

/** Undefined without an audit log. Throws when the configuration is invalid or the file cannot be written. */
function openAudit (): Audit | undefined {
  const config = readConfig()
  return config.auditLog === undefined ? undefined : openCommandAudit(config, createLogger(config.logLevel))
}

/** Call it before the command line is parsed. The result records how the command has ended. */
export function recordCommands (program: Command): (outcome: 'done' | 'failed') => void {
  let running: { audit: Audit, operation: string, target: Record<string, string | number> } | undefined
  const record = (outcome: 'begun' | 'done' | 'failed'): void => {
    if (!running) return
    const { audit, operation, target } = running
    const ids = Object.keys(target).length > 0 ? { target } : {}
    audit.record({ actor: { type: 'command', uid: process.getuid?.() }, operation, ...ids, outcome })
  }
  program.hook('preAction', (_program, command) => {
    const audit = openAudit()
    running = audit && { audit, operation: fullName(command), target: targetOf(command) }
    // The server runs until it is stopped, perhaps by kill -9.
    if (command.name() === 'serve') record('begun')
  })
  return record
}
