/** The uploads of this tab, for views. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { inBackground, notify } from '../ui/Notices.tsx'
import type { Dropped, LeftOut } from './dropped-files.ts'
import { toRequest, useNextOptions } from './next-options.ts'
import { refreshRecordings } from './recordings.ts'
import { createUploads } from './uploads.ts'
import type { Upload } from './uploads.ts'

const ended = new Set<() => void>()
const uploads = createUploads({ onDone: () => { for (const tell of ended) tell() } })

export const { cancel: cancelUpload, retry: retryUpload, clear: clearUploads, resume: resumeUploads, drop: dropUploads } = uploads
export const useUploads = (): readonly Upload[] => useSyncExternalStore(uploads.watch, uploads.list)

const isActive = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending' || state === 'paused'
export const countActive = (list: readonly Upload[]): number => list.filter(isActive).length

// The browser asks whether to leave while something is being sent.
window.addEventListener('beforeunload', (event) => { if (uploads.list().some(isActive)) event.preventDefault() })

/** Shows each finished upload in the list at once. */
export function useFinishedUploads (): void {
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = (): void => { inBackground(refreshRecordings(queries)) }
    ended.add(refresh)
    return () => { ended.delete(refresh) }
  }, [queries])
}

/** How many names a notice has room for. */
const NAMED = 3
const REASONS = ['other', 'empty', 'unreadable'] as const satisfies ReadonlyArray<keyof LeftOut>

/** Adds files to the queue, and says what was left out and why. */
export function useAddFiles (): (dropped: Dropped) => void {
  const { t, language } = useTexts()
  const next = useNextOptions()
  function tell (reason: keyof LeftOut, names: readonly string[], kind: 'done' | 'failed'): void {
    const sentence = t(`upload.leftOut.${reason}`, { count: names.length })
    const more = names.length > NAMED ? [t('upload.moreNames', { count: names.length - NAMED })] : []
    notify({ kind, text: `${sentence} ${new Intl.ListFormat(language).format([...names.slice(0, NAMED), ...more])}` })
  }
  return ({ files, leftOut }) => {
    if (files.length > 0) uploads.add(files, toRequest(next))
    const reasons = REASONS.filter((reason) => leftOut[reason].length > 0)
    for (const reason of reasons) tell(reason, leftOut[reason], files.length > 0 ? 'done' : 'failed')
    if (files.length === 0 && reasons.length === 0) notify({ kind: 'failed', text: t('upload.nothing') })
  }
}
