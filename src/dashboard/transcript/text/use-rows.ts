/** Rows of a transcript, of which only those on the screen are on the page. The window scrolls. */
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { RefObject } from 'react'
import type { Segments } from '../model/segments.ts'
import { useSegments } from '../player/use-player.ts'
import { estimateRows } from './row-sizes.ts'

/** What covers the top and the bottom of the window: frame, player. In CSS pixels. */
const COVER_TOP = 136
const COVER_BOTTOM = 96
/** Rows before and after those on the screen that are loaded before they are reached. */
const AHEAD = 60

/** How far below the top of the document the list begins, and how wide it is. */
function usePlace (list: RefObject<HTMLElement | null>): { top: number, width: number } {
  const [place, setPlace] = useState({ top: 0, width: 600 })
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    function measure (): void {
      const { top, width } = (element as HTMLElement).getBoundingClientRect()
      const next = { top: Math.round(top + scrollY), width: Math.round(width) }
      setPlace((known) => known.top === next.top && known.width === next.width ? known : next)
    }
    measure()
    const size = new ResizeObserver(measure)
    size.observe(element)
    size.observe(document.body)
    return () => { size.disconnect() }
  }, [list])
  return place
}

/** Keeps what is on the screen where it is when `sizes` change above it: rows that are loaded have another height than was thought. */
function useSteadyScroll (rows: Rows, sizes: Float64Array): void {
  const first = useRef({ index: 0, start: 0 })
  const [, render] = useReducer((count: number) => count + 1, 0)
  useLayoutEffect(() => {
    const { index, start } = first.current
    const moved = (rows.measurementsCache[index]?.start ?? start) - start
    if (index === 0 || moved === 0) return
    // From where the window is now: the rows may not know yet that the person has scrolled on.
    window.scrollBy(0, moved)
    // Known at once: until the browser tells of it, a frame would be drawn with the rows of another place.
    rows.scrollOffset = scrollY
    render()
  }, [rows, sizes])
  useLayoutEffect(() => {
    const index = rows.range?.startIndex ?? 0
    first.current = { index, start: rows.measurementsCache[index]?.start ?? 0 }
  })
}

/** `kept`: segments whose rows stay on the page wherever it is scrolled to, because the focus may be there. */
export function useRows (segments: Segments, list: RefObject<HTMLElement | null>, kept: readonly number[]) {
  const { segments: loaded, sample, total = 0 } = useSegments(segments)
  const { top, width } = usePlace(list)
  const sizes = useMemo(() => estimateRows(loaded, sample, width), [loaded, sample, width])
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: (index) => sizes[index] ?? 0,
    // Segments stay in their places. Another function has the rows placed again, by the new sizes.
    getItemKey: useCallback((index: number) => index, [sizes]),
    overscan: 8,
    scrollMargin: top,
    scrollPaddingStart: COVER_TOP,
    scrollPaddingEnd: COVER_BOTTOM,
    useFlushSync: false,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      const others = kept.filter((index) => index < total && !shown.includes(index))
      return others.length === 0 ? shown : [...shown, ...others].sort((a, b) => a - b)
    }
  })
  const items = rows.getVirtualItems()
  useSteadyScroll(rows, sizes)

  const from = Math.max(0, (rows.range?.startIndex ?? 0) - AHEAD)
  const to = Math.min(total, (rows.range?.endIndex ?? 0) + 1 + AHEAD)
  const load = useCallback(() => {
    // What cannot be loaded is shown by the list, with a button.
    segments.ensureView(from, Math.max(1, to)).catch(() => undefined)
  }, [segments, from, to])
  useEffect(() => { if (total > 0) load() }, [total, loaded, load])
  return { rows, items, loaded, total, top, load }
}
export type Rows = ReturnType<typeof useWindowVirtualizer>
