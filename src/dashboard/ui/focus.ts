/** Restores the focus after the element that had it has disappeared. */

/** After this time, the page is rendered, and a dialog that closed has given the focus back if it could. */
const SETTLED_MS = 50

/** Gives the focus to the content of the page if nothing has it, so that the keyboard continues there. */
export function keepFocus (): void {
  setTimeout(() => { if (document.activeElement === document.body) document.getElementById('content')?.focus() }, SETTLED_MS)
}
