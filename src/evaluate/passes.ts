/** Measures what it costs a transcriber to transcribe recordings. */
import { measureOthers } from './machine/load.js'
import { timeRounds } from './rounds.js'
import type { Series } from './rounds.js'
import type { Recording } from './folder.js'
import type { Place, Transcriber } from './transcribe.js'

/** The cost of one pass over the recordings. */
export type Effort = {
  name: string
  /** Time to load the weights, before the pass; absent where each file loads them. */
  loadSeconds?: number
  seconds: number
  processorSeconds: number
  /** Resident memory at its peak. */
  peakBytes: number
  /** Share of all processor time that went to other programs. */
  othersShare: number
}
export type Pass<T> = { outcomes: T[], effort: Effort }

/** Transcribes the recordings one at a time, so that none shares its time with another. */
export async function runPass<T> (transcriber: Transcriber<T>, recordings: readonly Recording[], log: Place['log']): Promise<Pass<T>> {
  const { name, pids, loadSeconds } = transcriber
  await transcriber.prepare?.(recordings)
  transcriber.takePeak()
  const { result: outcomes, ...measured } = await measureOthers(pids, async () => {
    const all: T[] = []
    for (const recording of recordings) {
      log(`${name}, ${all.length + 1} of ${recordings.length}: ${recording.name}`)
      all.push(await transcriber.transcribe(recording))
    }
    return all
  })
  return { outcomes, effort: { name, ...measured, peakBytes: transcriber.takePeak(), ...(loadSeconds !== undefined && { loadSeconds }) } }
}

/** Has each transcriber in turn transcribe all recordings, submitted together, `rounds` times. */
export async function runRounds (
  transcribers: ReadonlyArray<Transcriber<unknown>>, recordings: readonly Recording[], work: string, rounds: number, log: Place['log']
): Promise<Series> {
  for (const transcriber of transcribers) await transcriber.prepare?.(recordings)
  const ways = transcribers.map(({ name, pids, transcribeAll, takePeak }) => ({
    name,
    pids,
    async run () {
      takePeak()
      await transcribeAll(recordings)
      return { peakBytes: takePeak() }
    }
  }))
  return await timeRounds(work, ways, rounds, log)
}
