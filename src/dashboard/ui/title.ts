/** The title of the browser's tab, which screen readers read first. */
import { useEffect } from 'react'

export function useTitle (title: string): void {
  useEffect(() => { document.title = `${title} · Stenobox` }, [title])
}
