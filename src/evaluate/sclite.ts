/**
 * Counts errors a second time, with NIST's sclite from Debian's package sctk, over the same tokens.
 *
 * sclite minimises a weighted cost (substitution 4, deletion and insertion 3), and `countWordErrors` the number of errors. So sclite may
 * count a few more in texts with many errors.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './machine/programs.js'
import type { WordErrors } from './text/wer.js'

/** Tokens of one recording. */
export type TokenPair = { said: readonly string[], heard: readonly string[] }

type Argv = readonly [string, ...string[]]

/** Debian wraps its programs in `sctk`; a build of one's own has `sclite` itself. */
const COMMANDS: readonly Argv[] = [['sctk', 'sclite'], ['sclite']]
/** Its table takes about 9 bytes a cell: this is 10,000 words against 10,000, and 0.9 GB. */
const MAX_CELLS = 1e8

export type Sclite = {
  version: string
  /** Errors of each pair; undefined where the texts are too long for it. Writes its files into the directory. */
  score: (pairs: readonly TokenPair[], directory: string) => Promise<Array<WordErrors | undefined>>
}

/** The installed sclite, or undefined. */
export function findSclite (commands: readonly Argv[] = COMMANDS): Sclite | undefined {
  for (const command of commands) {
    const version = readVersion(command)
    if (version !== undefined) return { version, score: (pairs, directory) => score(command, pairs, directory) }
  }
  return undefined
}

function readVersion ([program, ...args]: Argv): string | undefined {
  // Without a task it prints its version and options, and fails.
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 10_000 })
  return /sclite Version: ([\d.]+)/.exec(`${stdout} ${stderr}`)?.[1]
}

async function score ([program, ...first]: Argv, pairs: readonly TokenPair[], directory: string): Promise<Array<WordErrors | undefined>> {
  const fits = pairs.map(({ said, heard }) => said.length * heard.length <= MAX_CELLS)
  if (!fits.includes(true)) return pairs.map(() => undefined)
  mkdirSync(directory, { recursive: true })
  const write = (name: string, side: keyof TokenPair): string => {
    const path = join(directory, name)
    writeFileSync(path, pairs.map((pair, index) => fits[index] ? `${pair[side].join(' ')} (f${index}-1)\n` : '').join(''))
    return path
  }
  const [reference, hypothesis] = [write('reference.trn', 'said'), write('hypothesis.trn', 'heard')]
  const { stdout } = await runProgram(program, [
    ...first, '-r', reference, 'trn', '-h', hypothesis, 'trn', '-i', 'rm', '-s', '-e', 'utf-8', '-o', 'pralign', 'stdout'
  ])
  return pairs.map((pair, index) => fits[index] ? parseScores(stdout, index, pair) : undefined)
}

function parseScores (output: string, index: number, { said }: TokenPair): WordErrors {
  const found = new RegExp(`^id: \\(f${index}-1\\)\\s+Scores: \\(#C #S #D #I\\) (\\d+) (\\d+) (\\d+) (\\d+)`, 'm').exec(output)
  const [correct = NaN, substitutions = NaN, deletions = NaN, insertions = NaN] = (found ?? []).slice(1).map(Number)
  if (correct + substitutions + deletions !== said.length) throw new Error('sclite read other words than it was given')
  return { words: said.length, substitutions, deletions, insertions }
}
