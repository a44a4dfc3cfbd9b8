/**
 * What a person chose for the recordings that are added next. This browser remembers it; the special words only for this tab, because
 * names should not stay on a shared computer.
 */
import { useMemo, useSyncExternalStore } from 'react'
import { MOST_SPEAKERS } from '../api/agreed.ts'
import type { components } from '../api/schema.ts'
import { useAccount } from '../api/session.ts'

const PLACE = 'stenobox.next'
const QUALITIES = ['fast', 'accurate'] as const
const CHANNELS = ['separate', 'mixed'] as const

/** Undefined: the appliance decides. */
export type NextOptions = {
  /** A code that the appliance knows. */
  language?: string | undefined
  quality?: typeof QUALITIES[number] | undefined
  channels?: typeof CHANNELS[number] | undefined
  /** False: they are not told apart; a number: so many. */
  speakers?: number | false | undefined
  terms?: string[] | undefined
}
/** The same in a request. */
export type RequestOptions = Pick<components['schemas']['MediaIngest'], 'language' | 'options'>

export const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_SPEAKERS

/** Anybody may write to the storage of a browser, and so may an older version of this page: what makes no sense is left out. */
function read (storage: Storage): Record<string, unknown> {
  try {
    return { ...JSON.parse(storage.getItem(PLACE) ?? '{}') as object }
  } catch {
    return {}
  }
}

function readNext (): NextOptions {
  const { language, quality, channels, speakers } = read(localStorage)
  const { terms } = read(sessionStorage)
  return {
    language: typeof language === 'string' ? language : undefined,
    quality: QUALITIES.find((one) => one === quality),
    channels: CHANNELS.find((one) => one === channels),
    speakers: speakers === false || isCount(speakers) ? speakers : undefined,
    terms: Array.isArray(terms) ? terms.map(String) : undefined
  }
}

const watchers = new Set<() => void>()
function watch (tell: () => void): () => void {
  watchers.add(tell)
  // Another tab has changed them.
  window.addEventListener('storage', tell)
  return () => {
    watchers.delete(tell)
    window.removeEventListener('storage', tell)
  }
}

export function rememberNext ({ terms, ...options }: NextOptions): void {
  localStorage.setItem(PLACE, JSON.stringify(options))
  sessionStorage.setItem(PLACE, JSON.stringify({ terms }))
  for (const tell of watchers) tell()
}

/** Without what the plan of the account does not include. */
export function useNextOptions (): NextOptions {
  const hasSpeakers = useAccount()?.diarization
  const stored = useSyncExternalStore(watch, () => `${localStorage.getItem(PLACE)} ${sessionStorage.getItem(PLACE)}`)
  return useMemo(() => {
    const next = readNext()
    return hasSpeakers ? next : { ...next, speakers: undefined }
    // The storage is read when it has changed.
  }, [stored, hasSpeakers])
}

/** True if the appliance decides everything. */
export const isAutomatic = (next: NextOptions): boolean => Object.values(next).every((value) => value === undefined)

export const toRequest = ({ language, quality, channels, speakers, terms }: NextOptions): RequestOptions => ({
  language, options: { sttQuality: quality, channels, terms, speakers: typeof speakers === 'number' ? { exact: speakers } : speakers }
})
