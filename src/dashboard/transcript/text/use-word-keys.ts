/**
 * Words by mouse and by keyboard, for all rows at once: a press plays from a word. In the text, the arrows go from word to word and from
 * segment to segment, Enter plays from there, and E edits.
 */
import { useMemo } from 'react'
import type { FocusEvent, KeyboardEvent, MouseEvent, RefObject } from 'react'
import type { Segments } from '../model/segments.ts'
import type { Player } from '../player/player.ts'
import type { Edits } from './use-edits.ts'
import type { Rows } from './use-rows.ts'

type Deps = {
  list: RefObject<HTMLElement | null>, segments: Segments, rows: Rows, player: Player, edits: Edits | undefined
  setActive (segment: number): void
}

const closest = (target: EventTarget, selector: string): HTMLElement | undefined =>
  target instanceof Element ? target.closest<HTMLElement>(selector) ?? undefined : undefined

/** The place of the row that holds an element. */
const rowOf = (target: EventTarget): number | undefined => {
  const index = closest(target, '[data-index]')?.dataset['index']
  return index === undefined ? undefined : Number(index)
}
const wordOf = (target: EventTarget): number | undefined => {
  const word = closest(target, '[data-word]')?.dataset['word']
  return word === undefined ? undefined : Number(word)
}

function createHandlers ({ list, segments, rows, player, edits, setActive }: Deps) {
  const segmentAt = (row: number | undefined) => row === undefined ? undefined : segments.read().segments[row]

  function edit (row: number | undefined): void {
    const segment = segmentAt(row)
    if (segment && edits) edits.start(segment)
  }

  function playFrom (target: EventTarget): void {
    const segment = segmentAt(rowOf(target))
    const start = segment?.words[wordOf(target) ?? 0]?.start ?? segment?.start
    if (start !== undefined) player.playFrom(start)
  }

  function focusWord (row: number, word: number): void {
    const words = list.current?.querySelector(`[data-words="${row}"]`)?.querySelectorAll<HTMLElement>('[data-word]')
    const element = words?.[Math.min(word, words.length - 1)]
    if (!element) return
    // Only by program: Tab goes to the text as a whole.
    element.tabIndex = -1
    element.focus({ preventScroll: true })
    element.scrollIntoView({ block: 'nearest' })
  }

  /** Goes to another segment, which may have to be drawn first. */
  function focusRow (row: number, word: number): void {
    if (row < 0 || row >= segments.read().segments.length) return
    rows.scrollToIndex(row, { align: 'auto' })
    setActive(row)
    requestAnimationFrame(() => { requestAnimationFrame(() => { focusWord(row, word) }) })
  }

  /** What a key in the text does; undefined: nothing. */
  function actionOf (event: KeyboardEvent): (() => void) | undefined {
    const { key, target } = event
    const row = rowOf(target)
    const text = closest(target, '[data-words]')
    if (row === undefined || !text) return undefined
    const word = wordOf(target)
    const isRtl = getComputedStyle(text).direction === 'rtl'
    const next = word === undefined ? 0 : word + 1
    const before = Math.max(0, (word ?? 0) - 1)
    switch (key) {
      case 'Enter': return () => { playFrom(target) }
      case 'e': case 'F2': return edits ? () => { edit(row) } : undefined
      case 'ArrowRight': return () => { focusWord(row, isRtl ? before : next) }
      case 'ArrowLeft': return () => { focusWord(row, isRtl ? next : before) }
      case 'ArrowDown': return () => { focusRow(row + 1, word ?? 0) }
      case 'ArrowUp': return () => { focusRow(row - 1, word ?? 0) }
      case 'Home': return () => { focusWord(row, 0) }
      case 'End': return () => { focusWord(row, Infinity) }
      default: return undefined
    }
  }

  return {
    onClick ({ target, detail }: MouseEvent): void {
      const play = closest(target, '[data-play]')?.dataset['play']
      if (play !== undefined) player.playFrom(Number(play))
      else if (closest(target, '[data-edit]')) edit(rowOf(target))
      // Selecting text is not a press on a word.
      else if (detail === 1 && wordOf(target) !== undefined && getSelection()?.isCollapsed !== false) playFrom(target)
    },
    onKeyDown (event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const act = actionOf(event)
      if (!act) return
      event.preventDefault()
      act()
    },
    onFocus ({ target }: FocusEvent): void {
      const row = rowOf(target)
      if (row !== undefined) setActive(row)
    }
  }
}

export function useWordKeys (deps: Deps) {
  const { list, segments, rows, player, edits, setActive } = deps
  return useMemo(() => createHandlers({ list, segments, rows, player, edits, setActive }), [list, segments, rows, player, edits, setActive])
}
