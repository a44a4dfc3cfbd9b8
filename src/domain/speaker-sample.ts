/** Picks the parts of a long recording that its voices are found from. Pure. */
import { dot } from './vectors.js'
import { toUnitLength } from './speaker-observation.js'

/** Voice prints that stay packed until they are read. `readVoice` writes into `into` and returns it. */
export type PackedVoices = { dimensions: number, readVoice: (window: number, into: Float32Array) => Float32Array }

/** Windows that voices are found from, at most: 20 minutes of speech. */
const MAX_SAMPLED = 3000
/** Windows of a block, 10 s of speech. Blocks keep neighbours together, because how often the voice changes is evidence. */
const BLOCK_WINDOWS = 25
/** Share of the blocks that are chosen because they are unlike those chosen before, so that somebody who says little is heard. */
const NOVEL_SHARE = 0.25

function blockMean (block: readonly number[], { dimensions, readVoice }: PackedVoices): Float32Array {
  const sum = new Float32Array(dimensions)
  const voice = new Float32Array(dimensions)
  for (const window of block) {
    readVoice(window, voice)
    for (let i = 0; i < dimensions; i++) sum[i]! += voice[i]!
  }
  return toUnitLength(sum)
}

/** Adds the `count` blocks that are least like all chosen ones, one after the other. */
function addNovel (means: readonly Float32Array[], chosen: Set<number>, count: number, check: () => void): void {
  const nearest = new Float32Array(means.length).fill(-Infinity)
  const compareWith = (other: number): void => {
    check()
    for (const [index, mean] of means.entries()) nearest[index] = Math.max(nearest[index]!, dot(mean, means[other]!))
  }
  for (const other of chosen) compareWith(other)
  for (let added = 0; added < count; added++) {
    const next = nearest.indexOf(nearest.reduce((least, value) => Math.min(least, value), Infinity))
    chosen.add(next)
    compareWith(next)
  }
}

/**
 * The windows, of these, that the voices of a recording are found from: all of a short one; of a long one, blocks at even distances and
 * blocks that are unlike those. In order of time. `check` is called often and may throw to stop.
 */
export function sampleWindows (windows: readonly number[], voices: PackedVoices, check: () => void): readonly number[] {
  if (windows.length <= MAX_SAMPLED) return windows
  const blocks = Array.from({ length: Math.floor(windows.length / BLOCK_WINDOWS) },
    (_, index) => windows.slice(index * BLOCK_WINDOWS, (index + 1) * BLOCK_WINDOWS))
  const means = blocks.map((block) => {
    check()
    return blockMean(block, voices)
  })
  const wanted = MAX_SAMPLED / BLOCK_WINDOWS
  const novel = Math.round(wanted * NOVEL_SHARE)
  const even = wanted - novel
  const chosen = new Set(Array.from({ length: even }, (_, index) => Math.floor(index * blocks.length / even)))
  addNovel(means, chosen, novel, check)
  return [...chosen].sort((a, b) => a - b).flatMap((index) => blocks[index]!)
}
