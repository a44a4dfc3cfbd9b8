/** `stenobox evaluate`: measures accuracy. The evaluation parses its own options. */
import { Command } from 'commander'
import { readConfig } from '../config.js'

/** Exit code: 0; 1 when a recording failed or a file beside it is unusable; 2 when there is nothing to evaluate. */
async function evaluate (args: readonly string[]): Promise<void> {
  // No other command needs this much code.
  const { UsageError, USAGE, parseCommandLine } = await import('../evaluate/command-line.js')
  const { runEvaluation } = await import('../evaluate/evaluation.js')
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  try {
    const { modelsDir, evaluatePython } = readConfig()
    const options = parseCommandLine(args, { modelsDir, python: evaluatePython })
    if (options === 'help') return console.log(USAGE)
    const streams = { print: (text: string) => { console.log(text) }, log: (line: string) => { console.error(`[evaluate] ${line}`) } }
    if (await runEvaluation(options, streams) === 'incomplete') process.exitCode = 1
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`evaluate: ${error.message}\n${USAGE}`)
    process.exitCode = 2
  }
}

export function evaluateCommand (): Command {
  return new Command('evaluate')
    .description('measure accuracy on recordings with reference texts; --help for its options')
    .argument('[folders...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (_folders: string[], _options: unknown, command: Command) => { await evaluate(command.args) })
}
