/** Commands that are scripts: TypeScript under `scripts/` that Node runs as it is. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs `scripts/PATH` with the arguments; its exit code becomes ours. */
export async function runScript (path: string, args: readonly string[]): Promise<void> {
  const file = fileURLToPath(new URL(`../../scripts/${path}`, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' })
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => { resolve(code ?? 1) })
  })
}
