/** The filters of the search that are set. Each can be removed, by keyboard with Delete. */
import { Button as AriaButton, Tag, TagGroup, TagList } from 'react-aria-components'
import { useTexts } from '../i18n/index.tsx'
import type { TextKey } from '../i18n/index.tsx'
import { keepFocus } from '../ui/focus.ts'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { FILTERS } from './search-filter.ts'
import type { FilterName, SearchFilter } from './search-filter.ts'
import type { SearchChange } from './search-params.ts'
import styles from './Tags.module.css'

const LABELS: Readonly<Record<FilterName, TextKey>> = {
  language: 'library.language', speaker: 'search.speaker', from: 'search.from', to: 'search.to', source: 'search.source'
}

export function FilterChips ({ filter, onChange }: { filter: SearchFilter, onChange (change: SearchChange): void }) {
  const { t } = useTexts()
  const { day, languageName } = useFormats()
  const chips = FILTERS.flatMap((name) => {
    const value = filter[name]
    if (value === undefined) return []
    const shown = name === 'language' ? languageName(value) : name === 'from' || name === 'to' ? day(`${value}T00:00`) : value
    return [{ name, label: t(LABELS[name]), shown }]
  })
  if (chips.length === 0) return null
  return (
    <TagGroup
      aria-label={t('search.active')} className={styles['group'] ?? ''}
      onRemove={(names) => {
        onChange(Object.fromEntries([...names].map((name) => [name, undefined])))
        keepFocus()
      }}
    >
      <TagList className={styles['tags'] ?? ''}>
        {chips.map(({ name, label, shown }) => (
          <Tag key={name} id={name} textValue={`${label}: ${shown}`} className={styles['tag'] ?? ''}>
            <span className={styles['text']}>{label}: <bdi>{shown}</bdi></span>
            {/* React Aria names it by what it removes, in our languages. */}
            <AriaButton slot='remove' className={styles['remove'] ?? ''}><Icon name='close' /></AriaButton>
          </Tag>
        ))}
      </TagList>
    </TagGroup>
  )
}
