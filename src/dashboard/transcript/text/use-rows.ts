/** Rows of a transcript, of which only those on the screen are on the page. The window scrolls. */
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useState } from 'react'
import type { RefObject } from 'react'
import type { Segments } from '../model/segments.ts'
import { useSegments } from '../player/use-player.ts'

/** Estimates of what Text.module.css makes, in CSS pixels: a row that is measured later moves nothing if they are right. */
const LINE = 28
const ROW_SPACE = 12
const SPEAKER_SPACE = 34
const GUTTER = 116
const CHARACTER = 8
/** What covers the top and the bottom of the window: frame, player. */
const COVER_TOP = 136
const COVER_BOTTOM = 96
/** Rows that are loaded before they are reached. */
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

/** `kept`: segments whose rows stay on the page wherever it is scrolled to, because the focus may be there. */
export function useRows (segments: Segments, list: RefObject<HTMLElement | null>, kept: readonly number[]) {
  const { segments: loaded, total = 0 } = useSegments(segments)
  const { top, width } = usePlace(list)
  const perLine = Math.max(20, (width - (width > 560 ? GUTTER : 40)) / CHARACTER)
  const known = loaded.slice(0, 50)
  const average = known.reduce((sum, { text }) => sum + text.length, 0) / Math.max(1, known.length)

  function estimateSize (index: number): number {
    const segment = loaded[index]
    const lines = Math.max(1, Math.ceil((segment?.text.length ?? average) / perLine))
    const hasSpeaker = segment?.speaker !== undefined && segment.speaker !== loaded[index - 1]?.speaker
    return lines * LINE + ROW_SPACE + (hasSpeaker ? SPEAKER_SPACE : 0)
  }

  const rows = useWindowVirtualizer({
    count: total,
    estimateSize,
    overscan: 8,
    scrollMargin: top,
    scrollPaddingStart: COVER_TOP,
    scrollPaddingEnd: COVER_BOTTOM,
    useFlushSync: false,
    getItemKey: (index) => loaded[index]?.id ?? index,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      const others = kept.filter((index) => index < total && !shown.includes(index))
      return others.length === 0 ? shown : [...shown, ...others].sort((a, b) => a - b)
    }
  })

  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  const wanted = Math.min(total - 1, last + AHEAD)
  useEffect(() => {
    // A page that cannot be loaded is shown by the list, with a button.
    if (wanted >= loaded.length) segments.ensureIndex(wanted).catch(() => undefined)
  }, [segments, wanted, loaded.length])
  return { rows, loaded, total, top }
}
export type Rows = ReturnType<typeof useRows>['rows']
