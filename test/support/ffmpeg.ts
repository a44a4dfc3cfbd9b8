/** Fake ffmpeg programs that hold back or break the sound. */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

const FFMPEG = execFileSync('sh', ['-c', 'command -v ffmpeg'], { encoding: 'utf8' }).trim()

/** A `PATH` where ffmpeg is this script. */
function replaceFfmpeg (directory: string, script: string): { PATH: string } {
  writeFileSync(directory + '/ffmpeg', `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { PATH: `${directory}:${process.env['PATH']}` }
}

/** A `PATH` whose ffmpeg outputs only the first `bytes` of sound: decoding then stays in the middle as long as the test needs. */
export function holdSound (directory: string, bytes: number): { PATH: string } {
  // The script ends with the test, which removes its directory, even if the server was killed.
  return replaceFfmpeg(directory, `'${FFMPEG}' "$@" | { head -c ${bytes}; while [ -e "$0" ]; do sleep 0.1; done; cat; }`)
}

/**
 * A `PATH` whose ffmpeg outputs only the first `bytes` of sound and fails when told to; after that it works. `hasBegun`: it was started.
 */
export function breakSound (directory: string, bytes: number): { PATH: string, hasBegun (): boolean, die (): void } {
  const [broken, begun] = [directory + '/broken', directory + '/begun']
  rmSync(begun, { force: true })
  writeFileSync(broken, '')
  const script = `[ -e '${broken}' ] || exec '${FFMPEG}' "$@"\n: > '${begun}'\n` +
    `'${FFMPEG}' "$@" | head -c ${bytes}\nwhile [ -e '${broken}' ]; do sleep 0.1; done\nexit 1`
  return { ...replaceFfmpeg(directory, script), hasBegun: () => existsSync(begun), die: () => { rmSync(broken) } }
}
