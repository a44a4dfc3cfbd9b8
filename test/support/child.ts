/** Runs the built program in another process, for tests of locks, deaths and limits. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

const DIST = new URL('../../dist/', import.meta.url).href

export type Child = {
  pid: number
  /** The next line of output; rejects when the process ends without one. */
  readLine (): Promise<string>
  kill9 (): Promise<void>
  /** All remaining output and the exit code. */
  end (): Promise<{ code: number | null, stderr: string }>
}

/**
 * Runs a module, given as text, in a separate Node, after `prefix` (a program that sets limits). `dist(name)` imports a built file there.
 * Killed when the test ends.
 */
export function runModule (t: Test, source: string, { args = [], prefix = [] }: { args?: string[], prefix?: string[] } = {}): Child {
  const text = `const dist = (name) => import(${JSON.stringify(DIST)} + name); const args = process.argv.slice(1); ${source}`
  // tap has every Node report on itself in a file, by NODE_OPTIONS; a process with lower limits could not write it.
  const [program = '', ...rest] = [
    ...prefix,
    'env',
    '-u',
    'NODE_OPTIONS',
    process.execPath,
    '--input-type=module',
    '-e',
    text,
    '--',
    ...args
  ]
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close') as Promise<[number | null]>
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { stderr += chunk })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const kill9 = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  t.teardown(kill9)
  return {
    pid: child.pid ?? 0,
    readLine: async () => {
      const line = await lines.next()
      if (line.done) throw new Error(`the process ended: ${stderr}`)
      return line.value
    },
    kill9,
    end: async () => {
      const [code] = await closed
      return { code, stderr }
    }
  }
}
