/** The rows on the screen, and moving among all of them by keyboard. The row that has the focus stays in the document. */
import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import type { Range } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { useDeletion } from '../recordings/deletion.ts'
import type { Recording } from '../recordings/recordings.ts'
import { hasModifier, stepOf } from './row-keys.ts'
import type { RowAction } from './RecordingList.tsx'
import { RecordingRow } from './RecordingRow.tsx'
import styles from './Rows.module.css'

const ROW_PX = 65
/** Rows beyond the screen that are ready. */
const OVERSCAN = 8
/** The next page is read when so many rows are left. */
const READ_AHEAD = 30
/** What the sticky header covers. */
const HEADER_PX = 64

/** How far the list is from the top of the page; the uploads above it come and go. */
function useTop (list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = (): void => { if (list.current) setTop(list.current.getBoundingClientRect().top + window.scrollY) }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => { observer.disconnect() }
  }, [list])
  return top
}

/** The row with the focus, and giving it to another one that may not be in the document yet. */
function useFocusedRow (list: RefObject<HTMLElement | null>, recordings: readonly Recording[]) {
  const [id, setId] = useState<number>()
  const isWanted = useRef(false)
  useLayoutEffect(() => {
    if (!isWanted.current) return
    const link = list.current?.querySelector<HTMLElement>(`[data-id="${id}"] [data-row-link]`)
    if (!link) return
    isWanted.current = false
    link.focus({ preventScroll: true })
  })
  return {
    index: id === undefined ? -1 : recordings.findIndex((one) => one.id === id),
    note: setId,
    focus (recording: Recording | undefined) {
      if (!recording) return
      isWanted.current = true
      setId(recording.id)
    }
  }
}

type Props = {
  recordings: readonly Recording[]
  /** Whether these are all. */
  isComplete: boolean
  onAction (action: RowAction, recording: Recording): void
  /** The end of the known rows comes near. */
  onEnd (): void
}

export function Rows ({ recordings, isComplete, onAction, onEnd }: Props) {
  const { t } = useTexts()
  const list = useRef<HTMLUListElement>(null)
  const top = useTop(list)
  const { index: focused, note, focus } = useFocusedRow(list, recordings)
  const remove = useDeletion()
  const rows = useWindowVirtualizer({
    count: recordings.length,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => recordings[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: HEADER_PX,
    rangeExtractor: useCallback((range: Range) => {
      const indexes = defaultRangeExtractor(range)
      return focused < 0 || indexes.includes(focused) ? indexes : [...indexes, focused].sort((a, b) => a - b)
    }, [focused])
  })
  const items = rows.getVirtualItems()
  const isNearEnd = (items.at(-1)?.index ?? 0) >= recordings.length - READ_AHEAD
  useEffect(() => { if (isNearEnd) onEnd() }, [isNearEnd, onEnd])

  function goTo (index: number): void {
    const place = Math.min(recordings.length - 1, Math.max(0, index))
    rows.scrollToIndex(place)
    focus(recordings[place])
  }
  function removeAt (recording: Recording): void {
    const index = recordings.indexOf(recording)
    // The focus goes to the row that comes to its place, and back when it returns.
    focus(recordings[index + 1] ?? recordings[index - 1])
    remove(recording, () => { focus(recording) })
  }
  // The same functions for as long as the list is there: rows that have not changed are not drawn again while the page scrolls.
  const latest = useRef({ removeAt, onAction })
  useLayoutEffect(() => { latest.current = { removeAt, onAction } })
  const onRowDelete = useCallback((recording: Recording) => { latest.current.removeAt(recording) }, [])
  const onRowAction = useCallback((action: RowAction, recording: Recording) => { latest.current.onAction(action, recording) }, [])

  function onKeyDown (event: KeyboardEvent): void {
    const isOnLink = (event.target as Element).matches('[data-row-link]')
    const recording = recordings[focused]
    if (!isOnLink || !recording || hasModifier(event)) return
    const step = stepOf(event)
    const acts: Partial<Record<string, () => void>> = {
      Home: () => { goTo(0) },
      End: () => { goTo(recordings.length - 1) },
      Delete: () => { removeAt(recording) },
      F2: () => { onAction('rename', recording) }
    }
    const act = step === undefined ? acts[event.key] : () => { goTo(focused + step) }
    if (!act) return
    event.preventDefault()
    act()
  }

  return (
    <ul
      ref={list} className={styles['rows']} aria-label={t('library.list')} style={{ blockSize: rows.getTotalSize() }} onKeyDown={onKeyDown}
    >
      {items.map(({ index, start }) => {
        const recording = recordings[index]
        return recording && (
          <li
            key={recording.id} ref={rows.measureElement} data-index={index} data-id={recording.id} className={styles['row']}
            aria-posinset={index + 1} aria-setsize={isComplete ? recordings.length : -1}
            style={{ transform: `translateY(${start - top}px)` }} onFocus={() => { note(recording.id) }}
          >
            <RecordingRow recording={recording} onAction={onRowAction} onDelete={onRowDelete} />
          </li>
        )
      })}
    </ul>
  )
}
