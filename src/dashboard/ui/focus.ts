/** The focus when what had it is gone. */

/** After this, what was rendered is there, and a dialog that closed has given the focus back if it could. */
const SETTLED_MS = 50

/** Gives the focus to the content of the page if nothing has it, so that the keyboard goes on from there. */
export function keepFocus (): void {
  setTimeout(() => { if (document.activeElement === document.body) document.getElementById('content')?.focus() }, SETTLED_MS)
}
