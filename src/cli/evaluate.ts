/** `stenobox evaluate`: runs the evaluation kit of `scripts/evaluate`, which knows its options itself. */
import { Command } from 'commander'
import { runScript } from './script.js'

export function evaluateCommand (): Command {
  return new Command('evaluate')
    .description('measure accuracy on recordings with reference texts; --help for its options')
    .argument('[folders...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_folders: string[], _options: unknown, command: Command) => { await runScript('evaluate/index.ts', command.args) })
}
