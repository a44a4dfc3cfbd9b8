/**
 * Synthesises music: chords, arpeggio, bass, drums, and a lead that sings vowels with vibrato in the range of a voice. Voice activity
 * detectors take such music for speech, and speech models write words for it.
 */
import { createRandom } from './random.js'
import { addBurst, bandPass, createSignal, whiteNoise } from './sounds.js'
import type { Frame, Signal } from './sounds.js'

export type Part = 'chords' | 'arpeggio' | 'bass' | 'drums' | 'lead'
/** Every part on its own, at the loudness it has in the mix. */
export type Band = Record<Part, Signal>
type Chord = readonly [number, number, number]

const TAU = 2 * Math.PI
const BEAT_SECONDS = 60 / 92
const BAR_SECONDS = 4 * BEAT_SECONDS
const PARTS: readonly Part[] = ['chords', 'arpeggio', 'bass', 'drums', 'lead']

/** Semitones over A2 (110 Hz): roots and thirds of Am F C G, then of Dm Am E Am. */
const CHORDS: readonly Chord[] = [[0, 3, 7], [-4, 0, 3], [3, 7, 10], [-2, 2, 5], [5, 8, 12], [0, 3, 7], [-5, -1, 2], [0, 3, 7]]
/** Which parts play in each of the sections of eight bars; then from the beginning. */
const SECTIONS: ReadonlyArray<readonly Part[]> = [
  ['arpeggio', 'chords'], ['chords', 'bass', 'drums', 'lead'], ['arpeggio', 'bass', 'drums', 'lead', 'chords'], ['lead', 'chords']
]
const SCALE = [0, 2, 3, 5, 7, 8, 10] as const
/** First three formants of a, e, i, o and u in Hz. */
const VOWELS: ReadonlyArray<readonly number[]> = [
  [800, 1200, 2600], [480, 1900, 2500], [300, 2250, 3000], [500, 900, 2500], [330, 750, 2400]
]
const LEVELS: Record<Part, number> = { chords: 0.05, arpeggio: 0.12, bass: 0.25, drums: 0.5, lead: 0.6 }

/** All parts, or those named, each playing in its sections; `always` has them play throughout. */
export function playBand (frame: Frame, parts: readonly Part[] = PARTS, plan: 'sections' | 'always' = 'sections'): Band {
  const band = Object.fromEntries(PARTS.map((part) => [part, createSignal(frame)])) as Band
  const players = createPlayers(frame)
  for (let bar = 0; bar * BAR_SECONDS < frame.seconds; bar++) {
    const section = SECTIONS[Math.floor(bar / 8) % SECTIONS.length] as readonly Part[]
    for (const part of parts) {
      if (plan === 'always' || section.includes(part)) players[part](band[part], bar * BAR_SECONDS, CHORDS[bar % CHORDS.length] as Chord)
    }
  }
  return band
}

/** Each plays one bar from a moment in seconds. */
function createPlayers (frame: Frame): Record<Part, (signal: Signal, at: number, chord: Chord) => void> {
  const random = createRandom(frame.seed)
  const drums = createDrums(frame)
  const singer = { degree: 7 }
  const eighths = [0, 1, 2, 3, 4, 5, 6, 7].map((step) => ({ step, after: step * BEAT_SECONDS / 2 }))
  return {
    chords (signal, at, chord) {
      for (const note of chord) {
        addNote(signal, frame, {
          at, seconds: BAR_SECONDS + 0.3, hz: toHz(note + 12), harmonics: 5, attack: 0.25, decay: 6, gain: LEVELS.chords
        })
      }
    },
    arpeggio (signal, at, chord) {
      for (const { step, after } of eighths) {
        const hz = toHz((chord[[0, 1, 2, 1][step % 4] as number] as number) + (step < 4 ? 24 : 36))
        addNote(signal, frame, { at: at + after, seconds: 0.9, hz, harmonics: 4, attack: 0.004, decay: 0.25, gain: LEVELS.arpeggio })
      }
    },
    bass (signal, at, [root]) {
      for (const beat of [0, 1.5, 2, 3]) {
        addNote(signal, frame, {
          at: at + beat * BEAT_SECONDS, seconds: 0.7, hz: toHz(root - 12), harmonics: 3, attack: 0.01, decay: 0.4, gain: LEVELS.bass
        })
      }
    },
    drums (signal, at) {
      for (const { step, after } of eighths) addDrums(signal, frame, drums, at + after, step)
    },
    lead (signal, at) { singBar(signal, frame, at, singer, random) }
  }
}

/** Left and right, each part somewhere between. */
export function toStereo (band: Band): [Signal, Signal] {
  const places: Record<Part, number> = { chords: 0.5, arpeggio: 0.25, bass: 0.5, drums: 0.6, lead: 0.5 }
  const side = (weigh: (place: number) => number): Signal => {
    const sum = new Float32Array(band.lead.length)
    for (const part of PARTS) {
      const weight = Math.sqrt(weigh(places[part]))
      for (const [index, sample] of band[part].entries()) sum[index] = (sum[index] as number) + weight * sample
    }
    return sum
  }
  return [side((place) => 1 - place), side((place) => place)]
}

function toHz (semitones: number): number {
  return 110 * 2 ** (semitones / 12)
}

type Note = { at: number, seconds: number, hz: number, harmonics: number, attack: number, decay: number, gain: number }

/** Harmonics that fall off, an attack, an exponential decay, and a release of 50 ms. */
function addNote (signal: Signal, frame: Frame, { at, seconds, hz, harmonics, attack, decay, gain }: Note): void {
  addBurst(signal, frame, at, seconds, (time) => {
    const envelope = Math.min(1, time / attack, (seconds - time) / 0.05) * Math.exp(-time / decay)
    let sum = 0
    for (let k = 1; k <= harmonics; k++) sum += Math.sin(TAU * hz * k * time) / k ** 1.3
    return gain * envelope * sum
  })
}

type Drums = { snare: Signal, hat: Signal }

function createDrums ({ rateHz, seed }: Frame): Drums {
  const noise = whiteNoise({ seconds: 0.25, rateHz, seed: seed + 1 })
  return { snare: bandPass(noise, { centreHz: 1800, q: 0.5, rateHz }), hat: bandPass(noise, { centreHz: 7000, q: 1, rateHz }) }
}

function addDrums (signal: Signal, frame: Frame, { snare, hat }: Drums, at: number, step: number): void {
  const level = LEVELS.drums
  if (step % 4 === 0 || step === 5) {
    addBurst(signal, frame, at, 0.25, (time) =>
      level * Math.exp(-time / 0.09) * Math.sin(TAU * (45 * time + 3 * (1 - Math.exp(-time / 0.03)))))
  }
  if (step % 4 === 2) {
    addBurst(signal, frame, at, 0.2, (time, index) =>
      0.6 * level * Math.exp(-time / 0.05) * ((snare[index] ?? 0) + 0.5 * Math.sin(TAU * 190 * time)))
  }
  addBurst(signal, frame, at, 0.08, (time, index) => 0.2 * level * Math.exp(-time / (step % 2 === 0 ? 0.015 : 0.04)) * (hat[index] ?? 0))
}

/** One to four notes of the scale in steps and small leaps, from F3 to A4, and a breath now and then. */
function singBar (signal: Signal, frame: Frame, at: number, singer: { degree: number }, random: () => number): void {
  let previousHz: number | undefined
  for (let beat = 0; beat < 4;) {
    const beats = Math.min(4 - beat, [0.5, 1, 1, 2][Math.floor(4 * random())] as number)
    singer.degree = Math.min(14, Math.max(5, singer.degree + Math.round(4 * random() - 2)))
    const hz = toHz((SCALE[singer.degree % 7] as number) + 12 * Math.floor(singer.degree / 7))
    const vowel = VOWELS[Math.floor(VOWELS.length * random())] as readonly number[]
    if (random() > 0.15) {
      addSung(signal, frame, { at: at + beat * BEAT_SECONDS, seconds: beats * BEAT_SECONDS, hz, fromHz: previousHz ?? hz * 0.97, vowel })
      previousHz = hz
    } else {
      previousHz = undefined
    }
    beat += beats
  }
}

type Sung = { at: number, seconds: number, hz: number, fromHz: number, vowel: readonly number[] }

/** Glides to its pitch in 60 ms; vibrato of 5.5 Hz and half a semitone sets in after a quarter of a second. */
function addSung (signal: Signal, frame: Frame, { at, seconds, hz, fromHz, vowel }: Sung): void {
  const topHz = Math.min(5000, 0.45 * frame.rateHz)
  const gains = Array.from({ length: Math.floor(topHz / (1.06 * hz)) }, (_, index) => gainOf(hz * (index + 1), vowel) / (index + 1))
  let phase = 0
  addBurst(signal, frame, at, seconds, (time) => {
    const glide = hz * (fromHz / hz) ** Math.exp(-time / 0.06)
    const vibrato = 0.028 * Math.min(1, Math.max(0, (time - 0.25) / 0.2)) * Math.sin(TAU * 5.5 * time)
    phase += glide * (1 + vibrato) / frame.rateHz
    let sum = 0
    for (const [index, gain] of gains.entries()) sum += gain * Math.sin(TAU * (index + 1) * phase)
    return LEVELS.lead * Math.min(1, time / 0.06, (seconds - time) / 0.09) * sum
  })
}

/** How much of a frequency a mouth lets through that forms the vowel. */
function gainOf (hz: number, vowel: readonly number[]): number {
  return vowel.reduce((sum, formantHz, index) => sum + (1 / (index + 1)) / (1 + ((hz - formantHz) / (60 + 0.06 * formantHz)) ** 2), 0.02)
}
