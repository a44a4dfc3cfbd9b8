/** Links with which anybody can read one transcription. Times are ms since 1970. */

/** How long a link may live, in days. */
export const MAX_SHARE_DAYS = 90

/** The token is not part of it: it is known only when the link is made. */
export type Share = { id: number, jobId: number, createdAt: number, expiresAt: number }

/** A link and the owner of what it shows. */
export type SharedJob = Share & { ownerId: number }
