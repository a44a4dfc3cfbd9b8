/** The library: everything that was recorded, what is being transcribed, and the search over all of it. */
import { getRouteApi } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { useTitle } from '../ui/title.ts'
import { AddButton } from './AddButton.tsx'
import styles from './LibraryPage.module.css'
import { RecordingList } from './RecordingList.tsx'
import { SearchBox } from './SearchBox.tsx'
import { SearchResults } from './SearchResults.tsx'
import type { LibrarySearch, SearchChange } from './search-params.ts'

const route = getRouteApi('/signedIn/')

export function LibraryPage () {
  const { t } = useTexts()
  useTitle(t('app.library'))
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useRef<HTMLDivElement>(null)
  const { q, ...filter } = search

  /** Typing does not fill the history. */
  function change (next: SearchChange): void {
    const known = Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined))
    inBackground(navigate({ search: known as LibrarySearch, replace: 'q' in next && q !== undefined, resetScroll: false }))
  }
  const enterList = (): void => { list.current?.querySelector<HTMLElement>('[data-row-link]')?.focus() }

  return (
    <>
      <div className={styles['head']}>
        <h1>{t('app.library')}</h1>
        <SearchBox value={q ?? ''} onChange={(text) => { change({ q: text === '' ? undefined : text }) }} onLeave={enterList} />
        <AddButton />
      </div>
      <div ref={list} className={styles['body']}>
        {q === undefined
          ? <RecordingList search={filter} onChange={change} />
          : <SearchResults query={q} />}
      </div>
    </>
  )
}
