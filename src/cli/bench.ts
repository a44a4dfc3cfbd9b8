/** `stenobox bench`: runs the benchmarks of `scripts/bench`. */
import { Command } from 'commander'
import { runScript } from './script.js'

export function benchCommand (): Command {
  return new Command('bench')
    .description('measure this machine; without a name, list what can be measured and run the short ones')
    .argument('[names...]')
    .allowUnknownOption()
    .action(async (_names: string[], _options: unknown, command: Command) => { await runScript('bench/index.ts', command.args) })
}
