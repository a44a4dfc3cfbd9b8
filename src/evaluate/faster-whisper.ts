/**
 * Runs faster-whisper, in a Python environment that the user provides, to compare the appliance with it.
 *
 * There is one process for each mode, so that it loads the weights once. It runs `faster-whisper.py`, which reads a request per line and
 * answers each with a line of JSON. Its first line names the versions, or says what is missing.
 */
import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { endWithUs } from './machine/programs.js'

export const FASTER_WHISPER_MODES = ['plain', 'vad', 'batched'] as const
export type FasterWhisperMode = typeof FASTER_WHISPER_MODES[number]

export type FasterWhisperOptions = {
  python: string
  /** CTranslate2 folder with the same weights as the appliance's. */
  model: string
  mode: FasterWhisperMode
  beamSize: number
  /** Whether it computes the times of words, which takes longer. */
  words: 'on' | 'off'
}

export type FasterWhisper = {
  /** Of the Python process. */
  pid: number
  version: string
  /** Of the weights. */
  loadSeconds: number
  /** `language`: a code, or "auto". A recording that cannot be transcribed is a failure with its sentence. */
  transcribe: (path: string, language: string) => Promise<{ text: string } | { failure: string }>
  stop: () => Promise<void>
}

/** A sentence that says why there is no faster-whisper. */
export type Missing = { missing: string }

type Child = ChildProcessByStdio<Writable, Readable, Readable>
type Hello = Missing | { fasterWhisper: string, ctranslate2: string, loadSeconds: number }

const SCRIPT = fileURLToPath(new URL('faster-whisper.py', import.meta.url))
const STDERR_CHARACTERS = 2000

/** Starts it and loads the weights. Throws an Error when they cannot be loaded. */
export async function startFasterWhisper (options: FasterWhisperOptions): Promise<FasterWhisper | Missing> {
  const { python, model, mode, beamSize, words } = options
  const child = spawn(python, [SCRIPT, model, mode, String(beamSize), String(availableParallelism()), words], { stdio: 'pipe' })
  endWithUs(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const refused = new Promise<Missing>((resolve) => {
    child.once('error', ({ message }) => resolve({ missing: `${python} cannot be run (${message})` }))
  })
  const ask = createDialogue(child)
  const hello = await Promise.race([refused, ask<Hello>()])
  if ('missing' in hello) return { missing: child.pid === undefined ? hello.missing : `${python} has no faster-whisper (${hello.missing})` }
  return {
    pid: child.pid as number,
    version: `${hello.fasterWhisper}, ctranslate2 ${hello.ctranslate2}`,
    loadSeconds: hello.loadSeconds,
    transcribe: (path, language) => ask({ path, language: language === 'auto' ? null : language }),
    async stop () {
      child.stdin.end()
      await ended
    }
  }
}

/** Sends a request, if any, and reads the next answer. Throws an Error when the process ends before it. */
function createDialogue (child: Child): <T> (request?: object) => Promise<T> {
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { stderr = (stderr + chunk).slice(-STDERR_CHARACTERS) })
  // If the process has died, reading its answer fails.
  child.stdin.on('error', () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async <T>(request?: object): Promise<T> => {
    if (request) child.stdin.write(JSON.stringify(request) + '\n')
    const { value, done } = await lines.next()
    if (done) {
      if (!child.stderr.closed) await once(child.stderr, 'close')
      throw new Error(`faster-whisper ended without an answer: ${stderr.trim() || 'it said nothing'}`)
    }
    try {
      return JSON.parse(value) as T
    } catch {
      throw new Error(`faster-whisper answered with something that is not JSON: ${value.slice(0, 200)}`)
    }
  }
}
