/** The keys of the player, wherever the focus is, except where keys mean something else. */
import { useEffect } from 'react'
import type { Player } from './player.ts'

/** Where letters are typed, or arrows and the space bar have a meaning of their own. */
const TYPING = 'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]'
const OWN_ARROWS = '[role=slider], [role=tablist], [role=radiogroup], [data-words], [role=grid]'
const OWN_SPACE = 'button, a, summary, [role=button], [role=tab], [role=switch]'

const ARROW_SECONDS = 5
const LETTER_SECONDS = 10

/** What a key does; undefined: nothing. */
function actionOf (key: string, target: Element, player: Player): (() => void) | undefined {
  switch (key) {
    case ' ': return target.closest(OWN_SPACE) ? undefined : () => { player.toggle() }
    case 'k': return () => { player.toggle() }
    case 'j': return () => { player.skip(-LETTER_SECONDS) }
    case 'l': return () => { player.skip(LETTER_SECONDS) }
    case ',': return () => { player.stepRate(-1) }
    case '.': return () => { player.stepRate(1) }
    case 'ArrowLeft': return target.closest(OWN_ARROWS) ? undefined : () => { player.skip(-ARROW_SECONDS) }
    case 'ArrowRight': return target.closest(OWN_ARROWS) ? undefined : () => { player.skip(ARROW_SECONDS) }
    default: return undefined
  }
}

export function usePlayerKeys (player: Player): void {
  useEffect(() => {
    function press (event: KeyboardEvent): void {
      const { target } = event
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
      if (target.closest(TYPING)) return
      const act = actionOf(event.key.length === 1 ? event.key.toLowerCase() : event.key, target, player)
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => { document.removeEventListener('keydown', press) }
  }, [player])
}
