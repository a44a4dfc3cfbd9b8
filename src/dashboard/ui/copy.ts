/** Copies text to the clipboard. */
import { useTexts } from '../i18n/index.tsx'
import { notify } from './Notices.tsx'

/** Browsers offer the clipboard only over https and on this machine; elsewhere a selection is copied as by the keyboard. */
function copySelected (text: string): boolean {
  const holder = document.createElement('textarea')
  holder.value = text
  holder.setAttribute('readonly', '')
  holder.className = 'visually-hidden'
  // Inside the dialog that is open, because the rest of the page cannot have the focus.
  const focused = document.activeElement
  const place = focused?.closest('[role=dialog], [role=alertdialog]') ?? document.body
  place.append(holder)
  holder.select()
  // The only way without a secure context; there is no other function for it.
  const isCopied = document.execCommand('copy')
  holder.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

/** False: the browser does not allow it, and the person must select and copy by hand. */
export async function copyText (text: string): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard === undefined) return copySelected(text)
  return await clipboard.writeText(text).then(() => true, () => copySelected(text))
}

/** Copies text, and says whether that worked. */
export function useCopy (): (text: string) => Promise<void> {
  const { t } = useTexts()
  return async (text) => {
    const isCopied = await copyText(text)
    notify(isCopied ? { kind: 'done', text: t('ui.copied') } : { kind: 'failed', text: t('ui.copyRefused') })
  }
}
