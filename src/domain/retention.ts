/** How long recordings and transcripts of an owner are retained, as the administrator and the owner set it. */
import type { Owner } from './access.js'

/** Maximum ages in days; 0: no maximum. */
export type Ages = { mediaDays: number, transcriptDays: number }

/** The shorter of two ages, where 0 has no end. */
const shorter = (days: number, own: number | undefined): number => own === undefined ? days : days === 0 ? own : Math.min(days, own)

/** What the administrator allows an owner at most. */
export const allowedAges = ({ mediaDays, transcriptDays }: Owner, configured: Ages): Ages =>
  ({ mediaDays: mediaDays ?? configured.mediaDays, transcriptDays: transcriptDays ?? configured.transcriptDays })

/** What applies to an owner: owners may only shorten what the administrator allows. */
export function agesOf (owner: Owner, configured: Ages): Ages {
  const allowed = allowedAges(owner, configured)
  return {
    mediaDays: shorter(allowed.mediaDays, owner.ownMediaDays), transcriptDays: shorter(allowed.transcriptDays, owner.ownTranscriptDays)
  }
}
