/** The library: everything that was recorded, what is being transcribed, and the search over all of it. */
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { lazyPage } from '../api/lazy-page.ts'
import { useTexts, withTexts } from '../i18n/index.tsx'
import { NextLine, OptionsDialog } from '../recordings/LazyAdding.tsx'
import { isAutomatic, useNextOptions } from '../recordings/next-options.ts'
import { inBackground } from '../ui/Notices.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { useTitle } from '../ui/title.ts'
import { AddButton } from './AddButton.tsx'
import styles from './LibraryPage.module.css'
import { RecordingList } from './RecordingList.tsx'
import { SearchBox } from './SearchBox.tsx'
import { NO_SEARCH } from './search-params.ts'
import type { LibrarySearch, SearchChange } from './search-params.ts'

// Nobody searches before they have seen the library.
const loadSearch = async () => await withTexts('search', import('./searching.ts'))
const FiltersButton = lazyPage(loadSearch, 'FiltersButton')
const SearchResults = lazyPage(loadSearch, 'SearchResults')

const route = getRouteApi('/signedIn/')

export function LibraryPage () {
  const { t } = useTexts()
  useTitle(t('app.library'))
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useRef<HTMLDivElement>(null)
  const { q, ...filter } = search
  const [isChoosing, setChoosing] = useState(false)
  const isPlain = isAutomatic(useNextOptions())
  const choose = (): void => { setChoosing(true) }

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
        <div className={styles['search']}>
          <SearchBox value={q ?? ''} onChange={(text) => { change(text === '' ? NO_SEARCH : { q: text }) }} onLeave={enterList} />
          {q !== undefined && <Suspense><FiltersButton search={search} onChange={change} /></Suspense>}
        </div>
        <AddButton onOptions={choose} />
      </div>
      {!isPlain && <Suspense><NextLine onChange={choose} /></Suspense>}
      <div ref={list} className={styles['body']}>
        {q === undefined
          ? <RecordingList search={filter} onChange={change} />
          : (
            <Suspense fallback={<Skeleton label={t('app.loading')} />}>
              <SearchResults query={q} search={search} onChange={change} />
            </Suspense>
            )}
      </div>
      {isChoosing && <Suspense><OptionsDialog onClose={() => { setChoosing(false) }} /></Suspense>}
    </>
  )
}
