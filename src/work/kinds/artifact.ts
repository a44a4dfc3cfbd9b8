/** Preparing summaries, chapters and quotes of completed jobs, while nothing is being transcribed. */
import type { Artifacts } from '../../service/artifacts.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

/** One at a time: the engines use one thread. */
const SLOTS = 1

export function createArtifactKind (artifacts: Pick<Artifacts, 'claim' | 'prepare'>): Kind {
  return { kind: 'artifact', lane: { slots: SLOTS, claims: () => repeat(artifacts.claim) }, run: artifacts.prepare }
}
