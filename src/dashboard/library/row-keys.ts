/** Moving among the rows of a list by keyboard: arrows, J and K, Home and End. */
import type { KeyboardEvent } from 'react'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

export const hasModifier = ({ ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>): boolean =>
  ctrlKey || metaKey || altKey

/** How many rows a key moves; undefined: it is no such key. */
export const stepOf = (event: KeyboardEvent): number | undefined => hasModifier(event) ? undefined : STEPS[event.key]

/** For lists whose rows are all in the document. The focus is on the link of a row. */
export function moveAmongRows (event: KeyboardEvent<HTMLElement>): void {
  const step = stepOf(event)
  if (step === undefined) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row-link]')]
  const at = rows.findIndex((row) => row === document.activeElement)
  if (at < 0) return
  event.preventDefault()
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus()
}
