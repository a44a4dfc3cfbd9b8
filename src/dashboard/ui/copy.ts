/**
 * Puts text on the clipboard. Browsers offer `navigator.clipboard` only over https and on this machine; elsewhere an element that is
 * selected and copied does it. Throws an Error when the browser refuses both.
 */
export async function copyText (text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  const before = document.activeElement
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error('The browser does not allow copying. Select the text and copy it yourself.')
}
