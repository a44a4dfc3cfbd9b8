/**
 * The segments of one transcript, loaded from the start in pages as far as somebody has asked. The number of all segments is known with
 * the first page, so that the list has its length from then on. Pure: `load` asks the appliance.
 */
import type { Segment, SegmentPage } from './segment.ts'
import { buildWordIndex } from './word-index.ts'
import type { WordIndex } from './word-index.ts'

/** The first page is small, so that the text is there at once; the others are as large as the appliance allows. */
const FIRST_PAGE = 200
const PAGE = 2000

export type LoadSegments = (after: string | undefined, limit: number) => Promise<SegmentPage>
export type SegmentsState = {
  /** From the first one on, without gaps. */
  readonly segments: readonly Segment[]
  /** Undefined until the first page is there. */
  readonly total: number | undefined
  /** Why the last page could not be loaded. */
  readonly fault: unknown
}

export function createSegments (load: LoadSegments) {
  let state: SegmentsState = { segments: [], total: undefined, fault: undefined }
  let words: { of: readonly Segment[], index: WordIndex } | undefined
  let places: { of: readonly Segment[], byId: Map<string, number> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  /** The last change of the transcript that is shown. */
  let revision = 0
  const listeners = new Set<() => void>()

  function change (next: Partial<SegmentsState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }

  const isComplete = (): boolean => state.total !== undefined && state.segments.length >= state.total

  /** One after another, in the order of the calls. */
  function inTurn<T> (task: () => Promise<T>): Promise<T> {
    const result = running.then(task)
    running = result.catch(() => undefined)
    return result
  }

  async function loadNext (): Promise<void> {
    const { segments } = state
    try {
      const page = await load(segments.at(-1)?.id, segments.length === 0 ? FIRST_PAGE : PAGE)
      const all = [...segments, ...page.segments]
      revision = Math.max(revision, page.revision)
      // A page without segments is the last one, whatever the total says.
      change({ segments: all, total: page.segments.length === 0 ? all.length : Math.max(page.total, all.length), fault: undefined })
    } catch (fault) {
      change({ fault })
      throw fault
    }
  }

  /** Loads pages until `isReached`; false if the transcript ends before. Rejects if a page cannot be loaded. */
  const loadUntil = (isReached: () => boolean): Promise<boolean> => inTurn(async () => {
    while (!isReached() && !isComplete()) await loadNext()
    return isReached()
  })

  /** Loads what is loaded again, and shows it when all of it is there. */
  const reload = (): Promise<void> => inTurn(async () => {
    const wanted = Math.max(1, state.segments.length)
    let [segments, total]: [Segment[], number] = [[], Infinity]
    while (segments.length < Math.min(wanted, total)) {
      const page = await load(segments.at(-1)?.id, Math.min(PAGE, wanted - segments.length))
      segments = [...segments, ...page.segments]
      revision = Math.max(revision, page.revision)
      total = page.segments.length === 0 ? segments.length : page.total
    }
    const before = new Map(state.segments.map((segment) => [segment.id, segment]))
    change({ segments: segments.map((segment) => sameOf(before.get(segment.id), segment)), total, fault: undefined })
  })

  function placeOf (id: string): number | undefined {
    if (places?.of !== state.segments) {
      places = { of: state.segments, byId: new Map(state.segments.map((segment, index) => [segment.id, index])) }
    }
    return places.byId.get(id)
  }

  return {
    read: (): SegmentsState => state,
    subscribe (listener: () => void): () => void {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    /** Loads as far as the segment at `index`. */
    ensureIndex: (index: number): Promise<boolean> => loadUntil(() => state.segments.length > index),
    /** Loads as far as a time in seconds. */
    ensureTime: (seconds: number): Promise<boolean> => loadUntil(() => (state.segments.at(-1)?.end ?? -1) >= seconds),
    ensureAll: (): Promise<boolean> => loadUntil(isComplete),
    /** Loads as far as a segment. Its place; undefined: there is no such segment. */
    async ensureId (id: string): Promise<number | undefined> {
      await loadUntil(() => placeOf(id) !== undefined)
      return placeOf(id)
    },
    /** The place of a loaded segment. */
    placeOf,
    /** Puts a newer version of a segment in its place. */
    put (segment: Segment): void {
      const place = placeOf(segment.id)
      revision = Math.max(revision, segment.revision)
      if (place !== undefined) change({ segments: state.segments.with(place, segment) })
    },
    /** Loads again what is loaded, if somebody else has changed the transcript. */
    async refresh (): Promise<void> {
      if (state.total !== undefined && (await load(undefined, 1)).revision > revision) await reload()
    },
    reload,
    /** The words of the loaded segments, by time. */
    words (): WordIndex {
      if (words?.of !== state.segments) words = { of: state.segments, index: buildWordIndex(state.segments) }
      return words.index
    }
  }
}
export type Segments = ReturnType<typeof createSegments>

/** The known object if nothing has changed, so that its row is not rendered again. */
function sameOf (known: Segment | undefined, segment: Segment): Segment {
  const isSame = known !== undefined && known.revision === segment.revision && known.speaker === segment.speaker &&
    known.speakerLabel === segment.speakerLabel && known.text === segment.text
  return isSame ? known : segment
}
