/**
 * The output of pyannote segmentation 3.0 for ten seconds of sound: for each frame one of seven classes, the sets of at most two of three
 * local speakers. Pure. Plaquet and Bredin, "Powerset multi-class cross entropy loss for neural speaker diarization", 2023.
 */

/** The most speakers of a window. They are local: the same person may have another number in the next window. */
export const LOCAL_SPEAKERS = 3
/** The sets in the order of the classes, as bits: nobody, one of three, two of three. */
const SETS = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110] as const
export const CLASSES = SETS.length

/** Samples that the network sees at once, and the frames it makes of them. */
export const SEGMENT_SAMPLES = 160_000
export const SEGMENT_FRAMES = 589
/** From one frame to the next, and the sound that a frame depends on, in samples. */
export const FRAME_SHIFT = 270
export const FRAME_REACH = 991

/**
 * From one window to the next, in frames: 5 s. Steps of whole frames let windows be added up without rounding. Shorter steps cost more;
 * whether they find more was not measured.
 */
export const STEP_FRAMES = 296
export const STEP_SAMPLES = STEP_FRAMES * FRAME_SHIFT

/** The number of windows of a recording with this many samples. The last window ends at or after its end. */
export const countSegments = (samples: number): number =>
  samples === 0 ? 0 : 1 + Math.ceil(Math.max(0, samples - SEGMENT_SAMPLES) / STEP_SAMPLES)

/** The ms at which a frame of the recording begins, halfway between its middle and that of the frame before. */
export const frameToMs = (frame: number): number => Math.round((frame * FRAME_SHIFT + (FRAME_REACH - FRAME_SHIFT) / 2) / 16)

/** Who speaks in each frame, as bits of local speakers. `scores`: frame by frame, one number for each class. */
export function decodePowerset (scores: Float32Array): Uint8Array {
  const sets = new Uint8Array(scores.length / CLASSES)
  for (let frame = 0; frame < sets.length; frame++) {
    let best = 0
    for (let each = 1; each < CLASSES; each++) {
      if (scores[frame * CLASSES + each]! > scores[frame * CLASSES + best]!) best = each
    }
    sets[frame] = SETS[best]!
  }
  return sets
}

const SIZES = Uint8Array.from({ length: 2 ** LOCAL_SPEAKERS }, (_, set) => (set & 1) + (set >> 1 & 1) + (set >> 2 & 1))
/** How many local speakers are in a set. */
export const sizeOfSet = (set: number): number => SIZES[set]!
