/** Every kind of background work: a new one is a file here and a line in this list. */
import type { Log } from '../../domain/log.js'
import type { Artifacts } from '../../service/artifacts.js'
import type { Decoding } from '../../service/decoding.js'
import type { Deliveries } from '../../service/deliveries.js'
import type { Diarizing } from '../../service/diarizing.js'
import type { Ending } from '../../service/ending.js'
import type { Fetching } from '../../service/fetching.js'
import type { Indexing } from '../../service/indexing.js'
import type { Transcribing } from '../../service/transcribing.js'
import type { Kind } from '../kind.js'
import { createArtifactKind } from './artifact.js'
import { createCompleteKind } from './complete.js'
import { createDecodeKind } from './decode.js'
import { createFetchKind } from './fetch.js'
import { createIndexKind } from './index-transcript.js'
import { createLanguageKind } from './language.js'
import { createSpeakersKind } from './speakers.js'
import { createPoolLane, createTranscribeKind } from './transcribe.js'
import { createWebhookKind } from './webhook.js'

type Deps = {
  fetching: Fetching
  decoding: Decoding
  transcribing: Transcribing
  diarizing: Diarizing
  indexing: Indexing
  ending: Ending
  deliveries: Deliveries
  artifacts: Artifacts
  /** Threads of the pool. */
  slots: number
  log: Log
}

export function createKinds (
  { fetching, decoding, transcribing, diarizing, indexing, ending, deliveries, artifacts, slots, log }: Deps
): Kind[] {
  const pool = createPoolLane(transcribing, slots)
  return [
    createFetchKind(fetching),
    createDecodeKind(decoding),
    createLanguageKind(transcribing, pool),
    createTranscribeKind(transcribing, pool),
    createSpeakersKind(diarizing),
    createIndexKind(indexing),
    createCompleteKind(ending),
    createWebhookKind({ deliveries, log }),
    createArtifactKind(artifacts)
  ]
}
