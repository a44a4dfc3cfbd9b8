/** Whether the screen has no room for the panels beside the text. */
import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 900px)')
const subscribe = (listener: () => void): () => void => {
  query.addEventListener('change', listener)
  return () => { query.removeEventListener('change', listener) }
}

export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
