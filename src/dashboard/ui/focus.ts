/** Restores the focus after the element that had it has disappeared. */

/** After this time, the page is rendered, and a dialog that closed has given the focus back if it could. */
const SETTLED_MS = 50

/** The dialog that is open, else the content of the page. */
const place = (): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>('[role=dialog], [role=alertdialog]')].at(-1) ?? document.getElementById('content')

/** Gives the focus to where a person is if nothing has it, so that the keyboard continues there. */
export function keepFocus (): void {
  setTimeout(() => { if (document.activeElement === document.body) place()?.focus() }, SETTLED_MS)
}
