/** Reads whole observations; the appliance reads their voice prints one by one. */
import { openObservation } from '../../dist/domain/speaker-observation.js'
import type { SpeakerObservation } from '../../dist/domain/speaker-observation.js'

/** Reads what `packObservation` wrote. Throws a RangeError for bytes of another version, or too few of them. */
export function unpackObservation (bytes: Uint8Array): SpeakerObservation {
  const { startMs, endMs, probabilities, centresMs, dimensions, readVoice } = openObservation(bytes)
  const windows = centresMs.map((centreMs, window) => ({ centreMs, voice: readVoice(window, new Float32Array(dimensions)) }))
  return { startMs, endMs, probabilities, windows }
}
