/** Titles and tags of transcriptions. */
import { parseTags, parseTitle } from '../domain/titles-and-tags.js'
import type { InTransaction } from '../store/database.js'
import type { JobStore } from '../store/jobs.js'
import type { CountedTag, TagStore } from '../store/tags.js'
import { findOwnedJob } from './transcripts.js'

/** Undefined: not changed. `title`: null gives the recording its own name back. */
export type TitleAndTagsChange = { title?: string | null | undefined, tags?: readonly string[] | undefined }

type Deps = {
  jobs: Pick<JobStore, 'findOwned' | 'setTitle' | 'touch'>
  tags: TagStore
  inTransaction: InTransaction
  now: () => number
}

export function createTitlesAndTags ({ jobs, tags, inTransaction, now }: Deps) {
  return {
    /** Changes both or nothing, in any state of the job. Throws `not_found`, `invalid_request`. */
    change: (id: number, ownerId: number, change: TitleAndTagsChange): void => inTransaction(() => {
      findOwnedJob(jobs, id, ownerId)
      if (change.title !== undefined) jobs.setTitle(id, change.title === null ? undefined : parseTitle(change.title), now())
      if (change.tags === undefined) return
      tags.replace({ jobId: id, ownerId }, parseTags(change.tags))
      jobs.touch(id, now())
    }),
    /** The owner's tags, the most used first, at most 1000. */
    listTags: (ownerId: number): CountedTag[] => tags.count(ownerId)
  }
}
export type TitlesAndTags = ReturnType<typeof createTitlesAndTags>
