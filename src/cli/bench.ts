/** `stenobox bench`: runs the benchmarks of `scripts/bench`. They are TypeScript that Node runs as it is. */
import { Command } from 'commander'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BENCH_FILE = fileURLToPath(new URL('../../scripts/bench/index.ts', import.meta.url))

async function bench (_options: unknown, command: Command): Promise<void> {
  const child = spawn(process.execPath, [BENCH_FILE, ...command.args], { stdio: 'inherit' })
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => { resolve(code ?? 1) })
  })
}

export function benchCommand (): Command {
  return new Command('bench')
    .description('measure this machine; without a name, list what can be measured and run the short ones')
    .argument('[names...]')
    .allowUnknownOption()
    .action(async (_names: string[], options: unknown, command: Command) => { await bench(options, command) })
}
