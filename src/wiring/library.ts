/** What an owner has: recordings, uploads, transcripts, speakers, webhooks. */
import { playSound } from '../engine/media/playback.js'
import { createEdits } from '../service/edits.js'
import { createPlayback } from '../service/playback.js'
import { createRecordingPeaks } from '../service/peaks.js'
import type { Plans } from '../service/plans.js'
import { createRemoval } from '../service/removal.js'
import { createRetries } from '../service/retries.js'
import { createSegments } from '../service/segments.js'
import { createShares } from '../service/shares.js'
import { createSpeakers } from '../service/speakers.js'
import { createSubmit } from '../service/submit.js'
import { createTitlesAndTags } from '../service/titles-and-tags.js'
import { createTranscripts } from '../service/transcripts.js'
import { createUploads } from '../service/uploads.js'
import type { Usage } from '../service/usage.js'
import { createWebhooks } from '../service/webhooks.js'
import { createMediaReader } from '../store/media-reader.js'
import type { Base } from './base.js'

type Needs = { plans: Plans, usage: Usage }

/** The services that accept, show and remove recordings. */
export function createLibrary (base: Base, { plans, usage }: Needs) {
  const { config, stores, inTransaction, inUnsyncedTransaction, files, fetcher, log, now } = base
  const { jobs, media, sources, speakers, transcripts, windows } = stores
  const { maxMediaBytes, minFreeBytes, maxQueued } = config
  const webhooks = createWebhooks({ ...stores, inTransaction, fetcher, now })
  const submit = createSubmit({ ...stores, usage, plans, webhooks, files, inTransaction, maxMediaBytes, minFreeBytes, maxQueued, now })
  const retries = createRetries({ jobs, sources, windows, transcripts, speakers, media, files, submit, now })
  const segments = createSegments({ ...stores, plans })
  const stored = { jobs, media, mediaReader: createMediaReader(config.dataDir), files, playSound }
  return {
    submit,
    edits: createEdits({ ...stores, segments, inTransaction, now }),
    playback: createPlayback(stored),
    peaks: createRecordingPeaks({ ...stores, files, playSound, log }),
    removal: createRemoval({ ...stores, files, inTransaction, inUnsyncedTransaction }),
    retries,
    segments,
    shares: createShares({ ...stores, isOn: config.sharing, plans, playback: createPlayback(stored), inTransaction, now }),
    speakers: createSpeakers({ ...stores, plans, files, submit, inTransaction }),
    titlesAndTags: createTitlesAndTags({ ...stores, inTransaction, now }),
    transcripts: createTranscripts({ ...stores, plans, isRetryable: retries.isRetryable }),
    uploads: createUploads({ uploads: stores.uploads, files, submit, inTransaction, inUnsyncedTransaction, now }),
    webhooks
  }
}
