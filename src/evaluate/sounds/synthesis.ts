/** The list of synthesised recordings without speech, and how they become files. Each has a fixed seed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { playBand, toStereo } from './music.js'
import type { Part } from './music.js'
import {
  applause, breathing, brownNoise, cadence, createSignal, dialling, hum, mix, pinkNoise, setLevel, ticking, typing, whiteNoise, wind
} from './sounds.js'
import type { Frame, Signal } from './sounds.js'

export type Synthetic = {
  /** File name without ending. */
  name: string
  seconds: number
  rateHz: 16000 | 44100
  /** One signal for each channel. */
  render: (frame: Frame) => Signal[]
}

type Kind = Pick<Synthetic, 'seconds' | 'rateHz'>

const SHORT: Kind = { seconds: 45, rateHz: 16000 }
const FINE: Kind = { seconds: 45, rateHz: 44100 }
const LONG: Kind = { seconds: 90, rateHz: 16000 }
const SONG: Kind = { seconds: 180, rateHz: 44100 }

/** The index of an entry is its seed, so add new ones at the end. */
export const SYNTHETICS: readonly Synthetic[] = [
  { name: 'silence', ...SHORT, render: (frame) => [createSignal(frame)] },
  { name: 'silence-stereo', ...FINE, render: (frame) => [createSignal(frame), createSignal(frame)] },
  // These use only the last two or three of 16 bits: a microphone that is switched off, and one in a quiet room.
  ...atLevels('floor', whiteNoise, [-88, -76], SHORT),
  ...atLevels('white', whiteNoise, [-60, -40, -20, -8], SHORT),
  ...atLevels('pink', pinkNoise, [-50, -30, -15], FINE),
  ...atLevels('brown', brownNoise, [-50, -30, -15], SHORT),
  ...atLevels('hum', hum, [-45, -20], FINE),
  {
    name: 'hum-and-noise',
    ...FINE,
    render: (frame) => [-30, -36].map((dbfs, channel) =>
      mix(setLevel(hum(frame), dbfs), setLevel(pinkNoise({ ...frame, seed: frame.seed + channel }), dbfs - 10)))
  },
  { name: 'music', ...SONG, render: (frame) => toStereo(playBand(frame)).map((side) => setLevel(side, -18)) },
  band('music-soft', ['chords', 'arpeggio', 'bass', 'lead'], -38, LONG),
  band('music-voice', ['lead'], -20, LONG),
  band('music-voice-and-chords', ['lead', 'chords'], -20, LONG),
  band('music-arpeggio', ['arpeggio'], -22, SHORT),
  band('music-drums', ['drums'], -20, SHORT),
  ...atLevels('phone-ring', (frame) => cadence(frame, [425], 1, 4), [-20], SHORT),
  ...atLevels('phone-ring-two-tones', (frame) => cadence(frame, [440, 480], 2, 4), [-20], SHORT),
  ...atLevels('phone-busy', (frame) => cadence(frame, [480, 620], 0.5, 0.5), [-20], SHORT),
  ...atLevels('phone-dialling', dialling, [-20], SHORT),
  ...atLevels('typing', typing, [-34], FINE),
  ...atLevels('ticking', ticking, [-40], SHORT),
  ...atLevels('applause', applause, [-20], FINE),
  ...atLevels('breathing', breathing, [-32, -50], LONG),
  ...atLevels('wind', wind, [-22], SHORT)
]

/** The samples of one recording. The same length always gives the same samples. */
export function renderSynthetic (synthetic: Synthetic, seconds: number = synthetic.seconds): Signal[] {
  return synthetic.render({ seconds, rateHz: synthetic.rateHz, seed: 1000 * (SYNTHETICS.indexOf(synthetic) + 1) })
}

/** Writes every recording as a WAV file, with an empty reference. `seconds`: another length, for all. */
export function synthesiseFolder (
  folder: string, { seconds, log = () => {} }: { seconds?: number, log?: (line: string) => void } = {}
): void {
  mkdirSync(folder, { recursive: true })
  for (const synthetic of SYNTHETICS) {
    log(`making ${synthetic.name}.wav`)
    const length = seconds ?? synthetic.seconds
    writeFileSync(join(folder, synthetic.name + '.wav'), encodeWav(renderSynthetic(synthetic, length), synthetic.rateHz))
    writeFileSync(join(folder, synthetic.name + '.txt'), '')
    writeFileSync(join(folder, synthetic.name + '.json'), JSON.stringify({ duration: length, sentences: [] }) + '\n')
  }
}

/** 16-bit WAV. Not dithered: silence has to stay digital silence. */
export function encodeWav (channels: readonly Signal[], rateHz: number): Buffer {
  const frames = channels[0]?.length ?? 0
  const frameBytes = 2 * channels.length
  const wav = Buffer.alloc(44 + frames * frameBytes)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(channels.length, 22)
  wav.writeUInt32LE(rateHz, 24)
  wav.writeUInt32LE(rateHz * frameBytes, 28)
  wav.writeUInt16LE(frameBytes, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(frames * frameBytes, 40)
  for (const [channel, signal] of channels.entries()) {
    for (const [index, sample] of signal.entries()) {
      const level = Math.round(32767 * Math.min(1, Math.max(-1, sample)))
      wav.writeInt16LE(level, 44 + index * frameBytes + 2 * channel)
    }
  }
  return wav
}

function atLevels (name: string, make: (frame: Frame) => Signal, levels: readonly number[], kind: Kind): Synthetic[] {
  return levels.map((dbfs) =>
    ({ name: levels.length === 1 ? name : `${name}${dbfs}db`, ...kind, render: (frame) => [setLevel(make(frame), dbfs)] }))
}

function band (name: string, parts: readonly Part[], dbfs: number, kind: Kind): Synthetic {
  return { name, ...kind, render: (frame) => [setLevel(mix(...Object.values(playBand(frame, parts, 'always'))), dbfs)] }
}
