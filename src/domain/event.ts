/** What an open page is told about the library of its owner. */
import type { JobStatus, Stage } from './job.js'

/**
 * `job`: a transcription has changed; the fields are those of its status. `list`: transcriptions were added or deleted, or so many have
 * changed that reading the list is cheaper. `transcript`: the text, the speakers or the artifacts of a transcription have changed.
 */
export type LibraryEvent =
  | { event: 'job', data: { id: number, status: JobStatus, stage: Stage, progress: number, title: string } }
  | { event: 'list', data: Record<string, never> }
  | { event: 'transcript', data: { id: number } }

/** A row of the library that was changed, before anything is said about it. */
export type Change = { kind: LibraryEvent['event'], jobId: number, ownerId: number }
