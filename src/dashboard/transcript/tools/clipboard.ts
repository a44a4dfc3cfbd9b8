/** Copies text, and rejects where `ui/copy.ts` returns false, so that callers can show the failure like any other. */
import { copyText as copy } from '../../ui/copy.ts'

/** Rejects if the browser does not allow it. */
export async function copyText (text: string): Promise<void> {
  if (!await copy(text)) throw new Error('The browser does not let this page copy.')
}
