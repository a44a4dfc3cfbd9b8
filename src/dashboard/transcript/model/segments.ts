/**
 * The segments of one transcript, loaded where somebody looks. The number of all segments is known with the first reply, so that the list
 * has its length from then on. Pure: `load` asks the appliance.
 */
import type { Segment, SegmentPage } from './segment.ts'
import { buildWordIndex, findWord } from './word-index.ts'
import type { WordIndex } from './word-index.ts'

/** The first segment of a page: the one spoken at a second, the one after another, or the one at a place. */
export type PageStart = { from: number } | { after: string } | { offset: number }
export type LoadSegments = (start: PageStart, limit: number) => Promise<SegmentPage>

/** Segments that are loaded together: a few screens, so that the text is there at once. */
const PIECE = 200
/** The most that the appliance sends at once. */
const LARGEST_PAGE = 2000
/** Segments before a place that somebody asks for: what is above it on the screen, and some more. */
const BEFORE = 60

export type SegmentsState = {
  /** One entry for each segment of the transcript; undefined if it is not loaded. */
  readonly segments: ReadonlyArray<Segment | undefined>
  /** Undefined until the first page is there. */
  readonly total: number | undefined
  /** The segments that were loaded first, from which the sizes of the others are estimated. */
  readonly sample: readonly Segment[]
  /** Why the last page could not be loaded; undefined again when somebody looks at the text again. */
  readonly fault: unknown
}

export function createSegments (load: LoadSegments) {
  let state: SegmentsState = { segments: [], total: undefined, sample: [], fault: undefined }
  let words: { of: SegmentsState['segments'], index: WordIndex } | undefined
  let places: { of: SegmentsState['segments'], byId: Map<string, number> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  /** The segments in view that wait to be loaded. */
  let view: { from: number, to: number, loaded: Promise<void> } | undefined
  /** The last change of the transcript up to which all that is loaded is as the appliance has it; undefined: nothing is loaded. */
  let revision: number | undefined
  const listeners = new Set<() => void>()

  function change (next: Partial<SegmentsState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }

  /** Runs tasks one after another, in the order of the calls. */
  function inTurn<T> (task: () => Promise<T>): Promise<T> {
    const result = running.then(task)
    running = result.catch(() => undefined)
    return result
  }

  function take (pages: readonly SegmentPage[]): void {
    const last = pages.at(-1)
    if (!last) return
    const fresh = new Map(pages.flatMap(({ offset, segments }) => segments.map((segment, index) => [offset + index, segment] as const)))
    const segments = Array.from({ length: last.total }, (_, place) => newer(state.segments[place], fresh.get(place)))
    const sample = state.sample.length > 0 ? state.sample : last.segments
    // What was loaded before may be older than a page that comes later.
    revision ??= pages[0]?.revision
    change({ segments, total: last.total, sample, fault: undefined })
  }

  async function loadPage (start: PageStart, limit: number): Promise<SegmentPage> {
    try {
      const page = await load(start, limit)
      take([page])
      return page
    } catch (fault) {
      change({ fault })
      throw fault
    }
  }

  /** Loads what is missing of the segments [from, to). */
  async function loadMissing (from: number, to: number): Promise<void> {
    for (let at = Math.max(0, from); ;) {
      const run = nextRun(state.segments, false, at, Math.min(to, state.total ?? Infinity))
      if (!run) return
      const { segments } = await loadPage({ offset: run.offset }, run.limit)
      // Pages of very long segments are shorter.
      at = run.offset + Math.max(1, segments.length)
    }
  }

  /** Loads a page, and segments before the place that `placeIn` finds in it. Returns the place. */
  const loadAround = (start: PageStart, placeIn: (page: SegmentPage) => number): Promise<number> => inTurn(async () => {
    const place = placeIn(await loadPage(start, PIECE))
    await loadMissing(place - BEFORE, place + 1)
    return place
  })

  /** Loads all loaded segments a second time, and shows them when all have arrived. */
  const reload = (): Promise<void> => inTurn(async () => {
    const pages: SegmentPage[] = []
    for (let at = 0; ;) {
      const run = nextRun(state.segments, true, at, state.segments.length)
      if (!run) break
      const page = await load({ offset: run.offset }, run.limit)
      pages.push(page)
      at = run.offset + Math.max(1, page.segments.length)
    }
    take(pages)
    revision = pages[0]?.revision ?? revision
  })

  function replace (segment: Segment): void {
    const place = placeOf(segment.id)
    if (place !== undefined) change({ segments: state.segments.with(place, segment) })
  }

  function placeOf (id: string): number | undefined {
    if (places?.of !== state.segments) {
      const known = state.segments.flatMap((segment, place) => segment ? [[segment.id, place] as const] : [])
      places = { of: state.segments, byId: new Map(known) }
    }
    return places.byId.get(id)
  }

  function wordIndex (): WordIndex {
    if (words?.of !== state.segments) words = { of: state.segments, index: buildWordIndex(state.segments) }
    return words.index
  }

  return {
    read: (): SegmentsState => state,
    subscribe (listener: () => void): () => void {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    /**
     * Loads the segments [from, to), with their neighbours. While a call waits for an earlier page, later calls take its place: a person
     * who scrolls on wants only what is in view at the end.
     */
    ensureView (from: number, to: number): Promise<void> {
      const loaded = view?.loaded ?? inTurn(async () => {
        const wanted = view ?? { from, to }
        view = undefined
        if (state.fault !== undefined) change({ fault: undefined })
        await loadMissing(Math.floor(wanted.from / PIECE) * PIECE, Math.ceil(wanted.to / PIECE) * PIECE)
      })
      view = { from, to, loaded }
      return loaded
    },
    /** Loads the segment that is spoken at a time in seconds, and those around it. Returns its place. */
    async ensureTime (seconds: number): Promise<number> {
      const word = findWord(wordIndex(), seconds)
      return typeof word === 'object' ? word.segment : await loadAround({ from: seconds }, ({ offset }) => offset)
    },
    /** Loads a segment and those around it. Returns its place. Rejects if the transcript has no such segment. */
    async ensureId (id: string): Promise<number> {
      return placeOf(id) ?? await loadAround({ after: id }, ({ offset }) => offset - 1)
    },
    ensureAll: (): Promise<void> => inTurn(async () => { await loadMissing(0, Infinity) }),
    /** The place of a loaded segment. */
    placeOf,
    /** Puts a segment in its place that this page has just saved. */
    put (segment: Segment): void {
      // Changes between the last known one and this one are by others, and not shown yet.
      if (segment.revision - 1 === revision) revision = segment.revision
      replace(segment)
    },
    /** Puts a segment in its place that somebody else has changed, maybe together with others. */
    putCurrent: replace,
    /** Reloads the loaded segments, if somebody else has changed the transcript. Whether that was so. */
    async refresh (): Promise<boolean> {
      if (revision === undefined || (await load({ offset: 0 }, 1)).revision <= revision) return false
      await reload()
      return true
    },
    reload,
    /** The words of the loaded segments, by time. */
    words: wordIndex
  }
}
export type Segments = ReturnType<typeof createSegments>

/** The next segments of [from, to) that are loaded, or that are not: at most a page of them. Undefined: there are none. */
function nextRun (segments: SegmentsState['segments'], isLoaded: boolean, from: number, to: number) {
  const fits = (place: number): boolean => (segments[place] !== undefined) === isLoaded
  let first = from
  while (first < to && !fits(first)) first++
  let next = first
  while (next < to && next < first + LARGEST_PAGE && fits(next)) next++
  return next > first ? { offset: first, limit: next - first } : undefined
}

/** The known object if nothing has changed, so that its row is not rendered again. A page that was read before an edit is older. */
function newer (known: Segment | undefined, segment: Segment | undefined): Segment | undefined {
  if (known === undefined || segment === undefined) return segment ?? known
  const isSame = known.revision === segment.revision && known.speaker === segment.speaker &&
    known.speakerLabel === segment.speakerLabel && known.text === segment.text
  return isSame || known.revision > segment.revision ? known : segment
}
