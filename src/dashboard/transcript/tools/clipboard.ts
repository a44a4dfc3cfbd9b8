/** Copies text. Browsers offer the clipboard only to pages from https and from this machine; elsewhere a selection is copied. */
export async function copyText (text: string): Promise<void> {
  // Absent on plain http, whatever the types say.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard) {
    await clipboard.writeText(text)
    return
  }
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!isCopied) throw new Error('The browser does not let this page copy.')
}
