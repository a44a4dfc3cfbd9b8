/**
 * Deleting with undo. The recording disappears at once; the appliance deletes it when the notice goes, or when the page is left: until
 * then nothing has happened that would have to be taken back.
 */
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { BASE } from '../api/base.ts'
import { api, ApiError, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { inBackground, notify } from '../ui/Notices.tsx'
import { nameOf, refreshRecordings } from './recordings.ts'
import type { Recording } from './recordings.ts'

/** Long enough to read the notice, find the button and reach it by keyboard. */
const UNDO_MS = 8000

/** Not shown any more. Those that are `waiting` are not deleted yet. */
let hidden: ReadonlySet<number> = new Set()
const waiting = new Set<number>()
const watchers = new Set<() => void>()

function setHidden (next: ReadonlySet<number>): void {
  hidden = next
  for (const tell of watchers) tell()
}
const hide = (id: number): void => { setHidden(new Set([...hidden, id])) }
const show = (id: number): void => { setHidden(new Set([...hidden].filter((one) => one !== id))) }

const watch = (tell: () => void): (() => void) => {
  watchers.add(tell)
  return () => { watchers.delete(tell) }
}

/** The recordings that were deleted, or are about to be. */
export const useHidden = (): ReadonlySet<number> => useSyncExternalStore(watch, () => hidden)

async function deleteNow (queries: QueryClient, id: number): Promise<void> {
  if (!waiting.delete(id)) return
  try {
    await take(api.DELETE('/api/v1/transcriptions/{id}', { params: { path: { id } }, keepalive: true }))
  } catch (error) {
    // Deleted elsewhere meanwhile is deleted.
    if (!(error instanceof ApiError && error.status === 404)) {
      show(id)
      throw error
    }
  }
  await refreshRecordings(queries)
}

// The browser sends these after the page is gone.
window.addEventListener('pagehide', () => {
  for (const id of waiting) inBackground(fetch(`${BASE}/api/v1/transcriptions/${id}`, { method: 'DELETE', keepalive: true }))
  waiting.clear()
})

/** Deletes at once what waits for its notice to go. What cannot be deleted stays in the library. */
export async function deleteWaiting (queries: QueryClient): Promise<void> {
  await Promise.allSettled([...waiting].map(async (id) => { await deleteNow(queries, id) }))
}

/** Deletes a recording, with a notice that can take it back. */
export function useDeletion (): (recording: Recording, onUndo?: () => void) => void {
  const { t } = useTexts()
  const queries = useQueryClient()
  return (recording, onUndo) => {
    const { id } = recording
    waiting.add(id)
    hide(id)
    notify({
      kind: 'done',
      text: t('library.deleted', { name: nameOf(recording) }),
      action: {
        label: t('app.undo'),
        run () {
          if (!waiting.delete(id)) return
          show(id)
          onUndo?.()
        }
      }
    }, { shownMs: UNDO_MS, onGone: () => { inBackground(deleteNow(queries, id)) } })
  }
}
