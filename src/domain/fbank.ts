/**
 * Log mel energies as Kaldi computes them, which speaker embedding models take: 80 bands from 20 Hz to 8 kHz, frames of 25 ms every 10 ms,
 * no dither, no padding at the edges. Pure. https://github.com/kaldi-asr/kaldi/blob/master/src/feat/mel-computations.cc
 */
import { SAMPLE_RATE_HZ } from './audio.js'

export const FBANK_BANDS = 80
export const FBANK_FRAME_SAMPLES = 400
export const FBANK_SHIFT_SAMPLES = 160
const FFT_SIZE = 512
const BINS = FFT_SIZE / 2
const LOW_HZ = 20
const PREEMPHASIS = 0.97
/** Float32 epsilon: Kaldi's floor of energies. */
const FLOOR = 2 ** -23

/** The window function: Kaldi's own, or the one of WeSpeaker's models. */
export type FbankWindow = 'povey' | 'hamming'

const WINDOWS: Readonly<Record<FbankWindow, (turn: number) => number>> = {
  povey: (turn) => (0.5 - 0.5 * Math.cos(turn)) ** 0.85,
  hamming: (turn) => 0.54 - 0.46 * Math.cos(turn)
}

const melOf = (hz: number): number => 1127 * Math.log(1 + hz / 700)

/** `first`: the bin that the first weight belongs to. */
type Band = { first: number, weights: Float32Array }

/** Triangular filters of equal width in mel; each spans from the centre of the previous one to the centre of the next. */
function makeBands (): Band[] {
  const lowest = melOf(LOW_HZ)
  const width = (melOf(SAMPLE_RATE_HZ / 2) - lowest) / (FBANK_BANDS + 1)
  return Array.from({ length: FBANK_BANDS }, (_, band) => {
    const left = lowest + band * width
    const weights = Float32Array.from({ length: BINS }, (_, bin) =>
      Math.max(0, 1 - Math.abs((melOf(bin * SAMPLE_RATE_HZ / FFT_SIZE) - left) / width - 1)))
    const first = weights.findIndex((weight) => weight > 0)
    return { first, weights: weights.subarray(first, weights.findLastIndex((weight) => weight > 0) + 1) }
  })
}

/** Places of the samples in the order that the transform begins with. */
const REVERSED = Uint16Array.from({ length: FFT_SIZE }, (_, index) => {
  let reversed = 0
  for (let bit = 1; bit < FFT_SIZE; bit <<= 1) reversed = reversed << 1 | (index & bit ? 1 : 0)
  return reversed
})
const COS = Float64Array.from({ length: BINS }, (_, index) => Math.cos(2 * Math.PI * index / FFT_SIZE))
const SIN = Float64Array.from({ length: BINS }, (_, index) => -Math.sin(2 * Math.PI * index / FFT_SIZE))

/** The Fourier transform in place, radix 2. The values are in the order of `REVERSED` at the start. */
function transform (re: Float64Array, im: Float64Array): void {
  for (let half = 1; half < FFT_SIZE; half *= 2) {
    const stride = BINS / half
    for (let start = 0; start < FFT_SIZE; start += 2 * half) {
      for (let k = 0; k < half; k++) {
        const a = start + k
        const b = a + half
        const c = COS[k * stride]!
        const s = SIN[k * stride]!
        const turnedRe = re[b]! * c - im[b]! * s
        const turnedIm = re[b]! * s + im[b]! * c
        re[b] = re[a]! - turnedRe
        im[b] = im[a]! - turnedIm
        re[a]! += turnedRe
        im[a]! += turnedIm
      }
    }
  }
}

/** Whole frames in so many samples. */
export const countFbankFrames = (samples: number): number =>
  samples < FBANK_FRAME_SAMPLES ? 0 : 1 + Math.floor((samples - FBANK_FRAME_SAMPLES) / FBANK_SHIFT_SAMPLES)

/**
 * Makes the function that computes energies, frame by frame. `scale`: by which samples in -1..1 are multiplied first; models were trained
 * with 1 or with 32768, which matters in silence only.
 */
export function createFbank ({ window, scale }: { window: FbankWindow, scale: number }): (pcm: Float32Array) => Float32Array {
  const bands = makeBands()
  const shape = Float64Array.from({ length: FBANK_FRAME_SAMPLES }, (_, index) =>
    WINDOWS[window](2 * Math.PI * index / (FBANK_FRAME_SAMPLES - 1)))
  const [re, im, frame] = [new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE)]

  function load (pcm: Float32Array, start: number): void {
    let mean = 0
    for (let i = 0; i < FBANK_FRAME_SAMPLES; i++) mean += scale * pcm[start + i]! / FBANK_FRAME_SAMPLES
    let before = scale * pcm[start]! - mean
    for (let i = 0; i < FBANK_FRAME_SAMPLES; i++) {
      const value = scale * pcm[start + i]! - mean
      frame[i] = (value - PREEMPHASIS * before) * shape[i]!
      before = value
    }
    for (let i = 0; i < FFT_SIZE; i++) re[i] = frame[REVERSED[i]!]!
    im.fill(0)
  }

  return (pcm) => {
    const count = countFbankFrames(pcm.length)
    const energies = new Float32Array(count * FBANK_BANDS)
    for (let index = 0; index < count; index++) {
      load(pcm, index * FBANK_SHIFT_SAMPLES)
      transform(re, im)
      for (const [band, { first, weights }] of bands.entries()) {
        let energy = 0
        for (let i = 0; i < weights.length; i++) energy += weights[i]! * (re[first + i]! ** 2 + im[first + i]! ** 2)
        energies[index * FBANK_BANDS + band] = Math.log(Math.max(FLOOR, energy))
      }
    }
    return energies
  }
}

/** These frames, joined, less the mean of each band over them. */
export function selectFrames (energies: Float32Array, frames: readonly number[]): Float32Array<ArrayBuffer> {
  const selected = new Float32Array(frames.length * FBANK_BANDS)
  const mean = new Float64Array(FBANK_BANDS)
  for (const [index, frame] of frames.entries()) {
    for (let band = 0; band < FBANK_BANDS; band++) {
      const value = energies[frame * FBANK_BANDS + band]!
      selected[index * FBANK_BANDS + band] = value
      mean[band]! += value / frames.length
    }
  }
  for (let index = 0; index < selected.length; index++) selected[index]! -= mean[index % FBANK_BANDS]!
  return selected
}
