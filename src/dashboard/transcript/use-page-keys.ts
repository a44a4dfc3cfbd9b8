/**
 * Keys of the page of a transcript. Ctrl+F opens our search: that of the browser sees only the rows on the screen. Pressed again, it opens
 * the browser's. Ctrl+Z undoes the last change of the text, outside of fields.
 */
import { useEffect } from 'react'

type Actions = { onFind (): void, onUndo: (() => void) | undefined }

const TYPING = 'input, textarea, select, [contenteditable], [role=dialog]'

export function usePageKeys ({ onFind, onUndo }: Actions): void {
  useEffect(() => {
    function press (event: KeyboardEvent): void {
      const { target } = event
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !(target instanceof Element)) return
      if (event.key === 'f' && !target.closest('[role=search], [role=dialog]')) {
        event.preventDefault()
        onFind()
      } else if (event.key === 'z' && onUndo && !target.closest(TYPING)) {
        event.preventDefault()
        onUndo()
      }
    }
    document.addEventListener('keydown', press)
    return () => { document.removeEventListener('keydown', press) }
  }, [onFind, onUndo])
}
