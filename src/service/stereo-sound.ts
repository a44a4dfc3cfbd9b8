/** Writes the sound of a recording with two channels: into one file for each channel, or mixed into one. */
import { BYTES_PER_SAMPLE, SAMPLE_RATE_HZ } from '../domain/audio.js'
import { CHANNELS, createChannelComparison } from '../domain/channels.js'
import type { ChannelMode } from '../domain/channels.js'
import type { AudioWriter, Files } from '../store/files.js'

type Deps = {
  files: Pick<Files, 'writeAudio' | 'readAudio' | 'removeAudio'>
  jobId: number
  mode: ChannelMode
  /** Throws when free disk falls to the reserve. */
  requireRoom: (bytes: number) => Promise<void>
}

/**
 * The first time to check whether a recording is not a call. The next checks are at twice, four times … that: each reads everything so far.
 */
const FIRST_LOOK_SAMPLES = 120 * SAMPLE_RATE_HZ

/** The 16-bit samples of a chunk, whose first byte may have an odd address. */
const toSamples = (chunk: Buffer): Int16Array => new Int16Array(new Uint8Array(chunk).buffer)
const toBytes = (samples: Int16Array): Uint8Array => new Uint8Array(samples.buffer)

/** The samples of one channel of two. */
function pick (both: Int16Array, first: 0 | 1): Int16Array {
  const own = new Int16Array(both.length >> 1)
  for (let index = 0; index < own.length; index++) own[index] = both[2 * index + first]!
  return own
}

/** Half the sum of both channels, or half the difference if one is the other with its sign changed. */
function addUp (first: Int16Array, second: Int16Array, isInverted: boolean): Int16Array {
  const sign = isInverted ? -1 : 1
  const sum = new Int16Array(first.length)
  for (let index = 0; index < sum.length; index++) sum[index] = (first[index]! + sign * second[index]!) >> 1
  return sum
}

/** The two files of the channels, read beside each other in chunks of equal length. */
async function * readBoth (files: Pick<Files, 'readAudio'>, jobId: number): AsyncGenerator<readonly [Int16Array, Int16Array]> {
  const first = files.readAudio(jobId, 1)[Symbol.asyncIterator]()
  const second = files.readAudio(jobId, 2)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const [one, other] = [await first.next(), await second.next()]
      if (one.done || other.done) return
      if (one.value.length !== other.value.length) throw new Error('the files of two channels differ in length')
      yield [toSamples(one.value), toSamples(other.value)]
    }
  } finally {
    await first.return?.()
    await second.return?.()
  }
}

/** Mixes the files of the channels into one, which is returned open. */
export async function mixChannels ({ files, jobId, requireRoom }: Omit<Deps, 'mode'>, isInverted: boolean): Promise<AudioWriter> {
  const audio = await files.writeAudio(jobId)
  try {
    for await (const [first, second] of readBoth(files, jobId)) {
      await requireRoom(first.byteLength)
      await audio.append(toBytes(addUp(first, second, isInverted)))
    }
    return audio
  } catch (error) {
    await audio.close()
    throw error
  }
}

export async function removeChannels ({ files, jobId }: Pick<Deps, 'files' | 'jobId'>): Promise<void> {
  for (const channel of CHANNELS) await files.removeAudio(jobId, channel)
}

export async function createStereoSound ({ files, jobId, mode, requireRoom }: Deps) {
  const comparison = createChannelComparison()
  /** One for each channel, until the channels are mixed; then one. */
  let open: AudioWriter[] = []
  let mix: { isInverted: boolean } | undefined
  let [samples, nextLook] = [0, FIRST_LOOK_SAMPLES]
  for (const channel of CHANNELS) open.push(await files.writeAudio(jobId, channel))

  async function closeAll (): Promise<void> {
    const closing = open
    open = []
    for (const audio of closing) await audio.close()
  }

  async function startMix (): Promise<void> {
    mix = { isInverted: comparison.judge().isInverted }
    await closeAll()
    open = [await mixChannels({ files, jobId, requireRoom }, mix.isInverted)]
    await removeChannels({ files, jobId })
  }

  async function silenceLeaks (): Promise<void> {
    for (const [index, channel] of CHANNELS.entries()) {
      for (const { startSample, endSample } of comparison.listLeaks(channel)) {
        await open[index]?.clear(startSample * BYTES_PER_SAMPLE, endSample * BYTES_PER_SAMPLE)
      }
    }
  }

  return {
    /** Adds interleaved samples of both channels. Returns the length of the mix in samples; 0 while there is none. */
    async append (chunk: Buffer): Promise<number> {
      const both = toSamples(chunk)
      const [first, second] = [pick(both, 0), pick(both, 1)]
      samples += first.length
      if (mix) {
        await open[0]?.append(toBytes(addUp(first, second, mix.isInverted)))
        return samples
      }
      comparison.push(both)
      for (const [index, part] of [first, second].entries()) await open[index]?.append(toBytes(part))
      if (samples < nextLook) return 0
      nextLook = 2 * samples
      if (mode === 'mixed' || (mode === 'auto' && comparison.isSurelyMixed())) await startMix()
      return mix ? samples : 0
    },
    /** Decides, if that is still open, and syncs the sound to disk. Each channel is silenced where it contains only leaked sound. */
    async finish (): Promise<{ samples: number, isSeparate: boolean }> {
      const { kind } = mix ? { kind: 'mixed' as const } : comparison.judge()
      const isSeparate = mode === 'separate' ? kind !== 'same' && !mix : mode === 'auto' && kind === 'separate'
      if (isSeparate) await silenceLeaks()
      else if (!mix) await startMix()
      for (const audio of open) await audio.sync()
      return { samples, isSeparate }
    },
    close: closeAll
  }
}
