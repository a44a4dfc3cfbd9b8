/** The speakers of a transcription, as people see, name and merge them. Pure. */
import { AppError } from './errors.js'
import type { FailureCode } from './errors.js'
import { requireLength } from './lengths.js'
import type { TimedSegment } from './transcript.js'
import { toVisibleName } from './visible-name.js'

/** The longest name of a speaker, in characters. */
export const MAX_SPEAKER_NAME_LENGTH = 100

/** `number`: 1 for the speaker who talks first. `talkMs`: how long the speaker talks. */
export type Speaker = { number: number, name?: string, mergedInto?: number, talkMs: number }

/** `name`: the new name; an empty one removes the name that was given before. */
export type Naming = { label: string, name: string }
/** Everything that `from` says is from now on said by `into`. */
export type Merge = { from: string, into: string }
export type SpeakerChanges = { speakers?: readonly Naming[] | undefined, merge?: readonly Merge[] | undefined }

/** `none`: speakers are not wanted, or the plan of the job does not include them. `failure`: only if failed. */
export type DiarizationState = { state: 'none' | 'pending' | 'done' | 'failed', failure?: FailureCode }

/** Joiners are invisible, and do not count when names are compared. */
const JOINERS = /[\u200c\u200d]/gu

const LABEL = /^Speaker ([1-9]\d*)$/

export const toLabel = (number: number): string => `Speaker ${number}`

/** The number in a label; undefined when the text is not a label. */
export function numberOf (label: string | undefined): number | undefined {
  const digits = LABEL.exec(label ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The names that readers see, by stored label: labels that are not in the map are shown as they are. */
export function shownNames (speakers: readonly Speaker[]): Map<string, string> {
  const byNumber = new Map(speakers.map((speaker) => [speaker.number, speaker]))
  const shown = new Map<string, string>()
  for (const speaker of speakers) {
    const { number, name } = byNumber.get(speaker.mergedInto ?? speaker.number) ?? speaker
    const label = toLabel(speaker.number)
    const text = name ?? toLabel(number)
    if (text !== label) shown.set(label, text)
  }
  return shown
}

/** The speakers with their talk time, from labelled words. Words without a speaker count for nobody. */
export function measureSpeakers (segments: Iterable<TimedSegment>): Speaker[] {
  const talkMs = new Map<number, number>()
  for (const { words } of segments) {
    for (const { speaker, startMs, endMs } of words) {
      const number = numberOf(speaker)
      if (number !== undefined) talkMs.set(number, (talkMs.get(number) ?? 0) + endMs - startMs)
    }
  }
  return [...talkMs].map(([number, ms]) => ({ number, talkMs: ms })).sort((a, b) => a.number - b.number)
}

/** The ms of words that each pair of an old and a new speaker has in common. Both lists have the same words. */
function sharedMs (before: readonly TimedSegment[], after: readonly TimedSegment[], rootOf: (number: number) => number) {
  const shared = new Map<string, { from: number, to: number, ms: number }>()
  for (const [index, { words }] of after.entries()) {
    for (const [place, { speaker, startMs, endMs }] of words.entries()) {
      const [from, to] = [numberOf(before[index]?.words[place]?.speaker), numberOf(speaker)]
      if (from === undefined || to === undefined) continue
      const pair = { from: rootOf(from), to, ms: 0 }
      const found = shared.get(`${pair.from} ${to}`) ?? pair
      found.ms += endMs - startMs
      shared.set(`${pair.from} ${to}`, found)
    }
  }
  return [...shared.values()].sort((a, b) => b.ms - a.ms)
}

/**
 * The speakers of words that were labelled again. A new speaker inherits the name of an old one (or of those merged into it) if
 * the words that they have in common are more than half of the words of each.
 */
export function keepNames (old: readonly Speaker[], before: readonly TimedSegment[], after: readonly TimedSegment[]): Speaker[] {
  const known = new Map(old.map((speaker) => [speaker.number, speaker]))
  const found = measureSpeakers(after)
  const rootOf = (number: number): number => known.get(number)?.mergedInto ?? number
  for (const { from, to, ms } of sharedMs(before, after, rootOf)) {
    const [last, next] = [known.get(from), found.find(({ number }) => number === to)]
    if (!next || last?.name === undefined || LABEL.test(last.name)) continue
    if (2 * ms > last.talkMs && 2 * ms > next.talkMs) next.name = last.name
  }
  return found
}

/** Merges are applied before names, in the order given. */
function mergeAll (speakers: Map<number, Speaker>, merges: readonly Merge[], find: (label: string, field: string) => Speaker): void {
  for (const [index, merge] of merges.entries()) {
    const from = find(merge.from, `merge[${index}].from`)
    const into = find(merge.into, `merge[${index}].into`)
    if (from === into) throw new AppError('invalid_request', `merge[${index}]: a speaker cannot be merged into itself`)
    into.talkMs += from.talkMs
    const name = into.name ?? from.name
    if (name !== undefined) into.name = name
    delete from.name
    from.talkMs = 0
    for (const speaker of speakers.values()) {
      if (speaker === from || speaker.mergedInto === from.number) speaker.mergedInto = into.number
    }
  }
}

/** Two readers would take two speakers of one name for one person. */
function requireDistinct (speakers: Iterable<Speaker>): void {
  const seen = new Set<string>()
  for (const { number, name, mergedInto } of speakers) {
    if (mergedInto !== undefined) continue
    const shown = name ?? toLabel(number)
    const key = shown.replace(JOINERS, '').normalize('NFKC').replace(/\s+/g, ' ').toLowerCase()
    if (seen.has(key)) {
      throw new AppError('invalid_request', `speakers: two speakers cannot both be called "${shown}". Merge them, or choose another name.`)
    }
    seen.add(key)
  }
}

/**
 * The speakers after these changes. Throws `invalid_request` for a label that does not exist or was merged, a name that is too long, and
 * two speakers with one name.
 */
export function changeSpeakers (before: readonly Speaker[], { speakers: namings = [], merge = [] }: SpeakerChanges): Speaker[] {
  const speakers = new Map(before.map((speaker) => [speaker.number, { ...speaker }]))
  function find (label: string, field: string): Speaker {
    const number = numberOf(label)
    const speaker = number === undefined ? undefined : speakers.get(number)
    if (!speaker) throw new AppError('invalid_request', `${field}: the transcription has no speaker with this label`)
    if (speaker.mergedInto === undefined) return speaker
    throw new AppError('invalid_request', `${field}: this speaker was merged into ${toLabel(speaker.mergedInto)}`)
  }
  mergeAll(speakers, merge, find)
  for (const [index, { label, name }] of namings.entries()) {
    const speaker = find(label, `speakers[${index}].label`)
    requireLength(name, { min: 0, max: MAX_SPEAKER_NAME_LENGTH }, `speakers[${index}].name`)
    const cleaned = toVisibleName(name)
    if (cleaned === undefined) delete speaker.name
    else speaker.name = cleaned
  }
  requireDistinct(speakers.values())
  return [...speakers.values()]
}
