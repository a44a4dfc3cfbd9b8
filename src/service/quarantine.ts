/** Media files that no row knows: a crash left them, or an older database was put back, which knows none of the newer recordings. */
import type { Log } from '../domain/log.js'
import { UPLOAD_TTL_MS } from '../domain/upload.js'
import type { Files } from '../store/files.js'
import type { MediaStore } from '../store/media.js'

/** Long enough to notice that recordings are missing, short enough for what a crash left of a deleted one. */
const QUARANTINE_MS = 7 * 24 * 60 * 60_000

type Deps = {
  media: Pick<MediaStore, 'stateOf'>
  files: Pick<Files, 'listUntouched' | 'removeMedia' | 'quarantineMedia' | 'removeQuarantined'>
  now: () => number
  log: Pick<Log, 'warn'>
}

export function createQuarantine ({ media, files, now, log }: Deps) {
  /** Files younger than this may belong to a row that is about to be written. */
  async function clearMedia (): Promise<void> {
    let moved = 0
    for (const file of await files.listUntouched('media', now() - UPLOAD_TTL_MS)) {
      const state = media.stateOf(file)
      if (state === 'stored') continue
      // Its row says that it is not needed.
      if (state !== undefined) await files.removeMedia(file)
      else {
        await files.quarantineMedia(file, now())
        moved++
      }
    }
    if (moved > 0) {
      log.warn({ files: moved, days: QUARANTINE_MS / 86_400_000 },
        'media files without a database row were moved to the folder quarantine; they are deleted after these days')
    }
  }

  return {
    /** Moves media files that no row knows to the quarantine, and removes what has been there for a week. */
    async sweep (): Promise<void> {
      await clearMedia()
      for (const file of await files.listUntouched('quarantine', now() - QUARANTINE_MS)) await files.removeQuarantined(file)
    }
  }
}
