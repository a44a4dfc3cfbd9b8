/** The button beside the search box that opens its filters. */
import { Suspense, useState } from 'react'
import { lazyPage } from '../api/lazy-page.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import type { LibrarySearch, SearchChange } from './search-params.ts'

// Most searches need no filter.
const FiltersDialog = lazyPage(async () => await import('./FiltersDialog.tsx'), 'FiltersDialog')

export function FiltersButton ({ search, onChange }: { search: LibrarySearch, onChange (change: SearchChange): void }) {
  const { t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button aria-haspopup='dialog' onPress={() => { setOpen(true) }}><Icon name='filter' />{t('search.filters')}</Button>
      <Suspense>
        {isOpen && <FiltersDialog search={search} onChange={onChange} onClose={() => { setOpen(false) }} />}
      </Suspense>
    </>
  )
}
