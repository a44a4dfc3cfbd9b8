/**
 * Synthesises sounds without speech. Every run gives the same samples.
 *
 * A signal is one channel of samples from -1 to 1. Levels are dBFS of the root mean square.
 */
import { createRandom, fillNormal } from './random.js'

export type Signal = Float32Array
/** The length, sample rate and random seed of a sound. */
export type Frame = { seconds: number, rateHz: number, seed: number }

const TAU = 2 * Math.PI

export function createSignal ({ seconds, rateHz }: Pick<Frame, 'seconds' | 'rateHz'>): Signal {
  return new Float32Array(Math.round(seconds * rateHz))
}

/** Scales to a level; peaks are cut at full scale. Silence stays silence. */
export function setLevel (signal: Signal, dbfs: number): Signal {
  const rms = Math.sqrt(signal.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, signal.length))
  const gain = rms === 0 ? 0 : 10 ** (dbfs / 20) / rms
  return signal.map((sample) => Math.min(1, Math.max(-1, sample * gain)))
}

export function mix (...signals: readonly Signal[]): Signal {
  const sum = new Float32Array(Math.max(0, ...signals.map(({ length }) => length)))
  for (const signal of signals) for (const [index, sample] of signal.entries()) sum[index] = (sum[index] as number) + sample
  return sum
}

export function whiteNoise (frame: Frame): Signal {
  return fillNormal(createSignal(frame), createRandom(frame.seed))
}

/** Falls by 3 dB an octave (Kellet's filter, made for 44.1 kHz). */
export function pinkNoise (frame: Frame): Signal {
  const poles = [
    [0.99886, 0.0555179], [0.99332, 0.0750759], [0.969, 0.153852], [0.8665, 0.3104856], [0.55, 0.5329522], [-0.7616, -0.016898]
  ] as const
  const states = new Float64Array(poles.length)
  return whiteNoise(frame).map((white) => {
    let sum = 0.5362 * white
    for (const [index, [decay, gain]] of poles.entries()) sum += states[index] = decay * (states[index] as number) + gain * white
    return sum
  })
}

/** Falls by 6 dB an octave. */
export function brownNoise (frame: Frame): Signal {
  let level = 0
  return whiteNoise(frame).map((white) => { level = 0.995 * level + white; return level })
}

/** Second-order band-pass, 0 dB at its centre (RBJ's cookbook). */
export function bandPass (signal: Signal, { centreHz, q, rateHz }: { centreHz: number, q: number, rateHz: number }): Signal {
  const omega = TAU * Math.min(centreHz, 0.45 * rateHz) / rateHz
  const alpha = Math.sin(omega) / (2 * q)
  const [gain, feedback1, feedback2] = [alpha / (1 + alpha), -2 * Math.cos(omega) / (1 + alpha), (1 - alpha) / (1 + alpha)]
  let [in1, in2, out1, out2] = [0, 0, 0, 0]
  return signal.map((sample) => {
    const out = gain * (sample - in2) - feedback1 * out1 - feedback2 * out2
    ;[in1, in2, out1, out2] = [sample, in1, out, out1]
    return out
  })
}

/** Mains hum: 50 Hz and harmonics, the odd ones stronger, slowly swelling. */
export function hum (frame: Frame): Signal {
  const random = createRandom(frame.seed)
  const partials = Array.from({ length: 16 }, (_, index) =>
    ({ hz: 50 * (index + 1), gain: (index % 2 === 0 ? 1 : 0.4) / (index + 1), phase: TAU * random() }))
  return createSignal(frame).map((_, index) => {
    const time = index / frame.rateHz
    const swell = 1 + 0.15 * Math.sin(TAU * 0.11 * time)
    return partials.reduce((sum, { hz, gain, phase }) => sum + gain * Math.sin(TAU * hz * time + phase), 0) * swell
  })
}

/** Tones sounding together, on and off in turn, with edges of 5 ms. */
export function cadence (frame: Frame, hz: readonly number[], onSeconds: number, offSeconds: number): Signal {
  const period = onSeconds + offSeconds
  return createSignal(frame).map((_, index) => {
    const time = index / frame.rateHz
    const within = time % period
    const edge = Math.min(1, within / 0.005, Math.max(0, onSeconds - within) / 0.005)
    return edge === 0 ? 0 : edge * hz.reduce((sum, one) => sum + Math.sin(TAU * one * time), 0)
  })
}

/** Keypad tones of random numbers of seven digits, a pause after each. */
export function dialling (frame: Frame): Signal {
  const random = createRandom(frame.seed)
  const signal = createSignal(frame)
  const [rows, columns] = [[697, 770, 852, 941], [1209, 1336, 1477, 1633]] as const
  for (let digit = 0; digit * 0.2 < frame.seconds; digit++) {
    const [low, high] = [rows[Math.floor(4 * random())] as number, columns[Math.floor(4 * random())] as number]
    if (digit % 10 < 7) addBurst(signal, frame, 0.2 * digit, 0.1, (time) => Math.sin(TAU * low * time) + Math.sin(TAU * high * time))
  }
  return signal
}

/** Typing: bursts as long as a few words. Each key is a click of noise over a thump, with random variations. */
export function typing (frame: Frame): Signal {
  const random = createRandom(frame.seed)
  const signal = createSignal(frame)
  for (let at = 0.3; at < frame.seconds; at += random() < 0.12 ? 0.6 + 2 * random() : 0.08 + 0.14 * random()) {
    const [centreHz, thumpHz, gain] = [1800 + 2500 * random(), 120 + 120 * random(), 0.5 + 0.5 * random()]
    const click = bandPass(whiteNoise({ seconds: 0.03, rateHz: frame.rateHz, seed: Math.floor(2 ** 31 * random()) }), {
      centreHz, q: 1.5, rateHz: frame.rateHz
    })
    addBurst(signal, frame, at, 0.03, (time, index) => gain * Math.exp(-time / 0.006) * (click[index] ?? 0))
    addBurst(signal, frame, at, 0.06, (time) => 0.3 * gain * Math.exp(-time / 0.02) * Math.sin(TAU * thumpHz * time))
  }
  return signal
}

/** A clock: tick and tock, each a ringing click. */
export function ticking (frame: Frame): Signal {
  const signal = createSignal(frame)
  for (let tick = 0; 0.5 * tick < frame.seconds; tick++) {
    const hz = tick % 2 === 0 ? 3100 : 2400
    addBurst(signal, frame, 0.5 * tick, 0.05, (time) => Math.exp(-time / 0.005) * Math.sin(TAU * hz * time))
  }
  return signal
}

/** Clapping: many short bursts of noise around 1 kHz, dense at first, thinning out. */
export function applause (frame: Frame): Signal {
  const random = createRandom(frame.seed)
  const signal = createSignal(frame)
  for (let at = 0; at < frame.seconds; at += (0.004 + 0.02 * (at % 15) / 15) * (0.2 + 1.6 * random())) {
    const [gain, seed] = [0.2 + random(), Math.floor(2 ** 31 * random())]
    const noise = createRandom(seed)
    addBurst(signal, frame, at, 0.03, (time) => gain * Math.exp(-time / 0.008) * (2 * noise() - 1))
  }
  return bandPass(signal, { centreHz: 1100, q: 0.8, rateHz: frame.rateHz })
}

/** In and out every four seconds or so: noise through the resonances of an open mouth. */
export function breathing (frame: Frame): Signal {
  const random = createRandom(frame.seed)
  const noise = pinkNoise(frame)
  const { rateHz } = frame
  const inwards = mix(bandPass(noise, { centreHz: 1400, q: 2, rateHz }), bandPass(noise, { centreHz: 2600, q: 3, rateHz }))
  const outwards = mix(bandPass(noise, { centreHz: 550, q: 1.5, rateHz }), bandPass(noise, { centreHz: 1700, q: 4, rateHz }))
  const signal = createSignal(frame)
  for (let at = 0.2; at < frame.seconds; at += 3.6 + 0.8 * random()) {
    const from = (seconds: number): number => Math.round((at + seconds) * rateHz)
    addBurst(signal, frame, at, 1.2, (time, index) => Math.sin(Math.PI * time / 1.2) ** 2 * (inwards[from(0) + index] ?? 0))
    addBurst(signal, frame, at + 1.5, 1.7, (time, index) => 1.4 * Math.sin(Math.PI * time / 1.7) ** 2 * (outwards[from(1.5) + index] ?? 0))
  }
  return signal
}

/** Gusts: brown noise whose strength wanders. */
export function wind (frame: Frame): Signal {
  const noise = brownNoise(frame)
  const random = createRandom(frame.seed + 1)
  const phases = [0.07, 0.13, 0.31].map((hz) => ({ hz, phase: TAU * random() }))
  return noise.map((sample, index) =>
    sample * Math.exp(phases.reduce((sum, { hz, phase }) => sum + 0.6 * Math.sin(TAU * hz * index / frame.rateHz + phase), 0)))
}

/** Adds a short sound to the signal; `wave` gets the time in seconds and the sample index since its start. */
export function addBurst (
  signal: Signal, { rateHz }: Pick<Frame, 'rateHz'>, atSeconds: number, seconds: number, wave: (time: number, index: number) => number
): void {
  const start = Math.round(atSeconds * rateHz)
  const count = Math.min(Math.round(seconds * rateHz), signal.length - start)
  for (let index = 0; index < count; index++) signal[start + index] = (signal[start + index] as number) + wave(index / rateHz, index)
}
