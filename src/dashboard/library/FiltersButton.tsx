/** The button beside the search box that opens its filters. */
import { useTexts } from '../i18n/index.tsx'
import { lazyPage } from '../api/lazy-page.ts'
import { Icon } from '../ui/Icon.tsx'
import { Popup } from '../ui/Popup.tsx'
import type { LibrarySearch, SearchChange } from './search-params.ts'

// Most searches need no filter.
const FilterForm = lazyPage(async () => await import('./FilterForm.tsx'), 'FilterForm')

export function FiltersButton ({ search, onChange }: { search: LibrarySearch, onChange (change: SearchChange): void }) {
  const { t } = useTexts()
  return (
    <Popup label={t('search.filters')} button={<><Icon name='filter' />{t('search.filters')}</>}>
      {(close) => <FilterForm search={search} onChange={onChange} onClose={close} />}
    </Popup>
  )
}
