/** The title of the browser's tab, and of its history. */
import { useEffect } from 'react'

export function useTitle (title: string): void {
  useEffect(() => { document.title = `${title} · Stenobox` }, [title])
}
