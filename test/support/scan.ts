/** Searches raw bytes of every file below a directory, in another process: reading a database here would drop SQLite's locks on it. */
import { spawnSync } from 'node:child_process'

/** The words that some file of `directory` contains, each with the files. Only in this case, and as UTF-8. */
export function scanFor (directory: string, words: readonly string[]): Record<string, string[]> {
  const found = words.map((word): [string, string[]] => {
    const { status, stdout, stderr } = spawnSync('grep', ['-r', '-a', '-l', '-F', '-e', word, '.'], { cwd: directory, encoding: 'utf8' })
    // A file that is removed during the search is no reason to stop.
    if (status === null || (status > 1 && !/No such file/.test(stderr))) throw new Error(`grep failed: ${stderr}`)
    return [word, stdout.split('\n').filter(Boolean)]
  })
  return Object.fromEntries(found.filter(([, files]) => files.length > 0))
}

/** The distinct words of a text that are long enough not to be in a database by chance. */
export const wordsOf = (text: string | undefined): string[] => [...new Set(text?.match(/\p{L}{5,}/gu) ?? [])]
