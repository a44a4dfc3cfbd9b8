/** The order of the library, and what of it is shown. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTexts } from '../i18n/index.tsx'
import { RECORDINGS, tagsQuery } from '../recordings/recordings.ts'
import type { RecordingPages, RecordingStatus } from '../recordings/recordings.ts'
import { Button } from '../ui/Button.tsx'
import { useFormats } from '../ui/formats.ts'
import { Select } from '../ui/Select.tsx'
import styles from './Filters.module.css'
import { SORTS } from './search-params.ts'
import type { LibrarySearch, SearchChange } from './search-params.ts'

/** No status, tag or language is called so. */
const ALL = ''
const STATUSES: readonly RecordingStatus[] = ['completed', 'processing', 'pending', 'failed']

type Props = { search: Omit<LibrarySearch, 'q'>, onChange (change: SearchChange): void }

/** The languages of the recordings that were seen so far. */
function useLanguages (chosen: string | undefined): string[] {
  const lists = useQueryClient().getQueriesData<RecordingPages>({ queryKey: RECORDINGS })
  const found = lists.flatMap(([, pages]) => pages?.pages.flatMap(({ data }) => data.flatMap(({ language }) => language ?? [])) ?? [])
  return [...new Set([...found, ...(chosen === undefined ? [] : [chosen])])].sort()
}

/** Takes every filter away. */
export const NO_FILTER: SearchChange = { status: undefined, tag: undefined, language: undefined }

export function Filters ({ search, onChange }: Props) {
  const { t } = useTexts()
  const { languageName } = useFormats()
  const tags = useQuery(tagsQuery).data ?? []
  const languages = useLanguages(search.language)
  const { status, tag, language, sort = 'newest' } = search
  const isFiltered = status !== undefined || tag !== undefined || language !== undefined
  const tagNames = tags.map(({ name, count }) => ({ value: name, text: `${name} (${count})` }))
  const knownTags = tag === undefined || tags.some(({ name }) => name === tag) ? tagNames : [...tagNames, { value: tag, text: tag }]

  return (
    <div className={styles['filters']} role='group' aria-label={t('library.filters')}>
      <Select
        label={t('library.status')} value={status ?? ALL}
        options={[
          { value: ALL, text: t('library.allStatuses') }, ...STATUSES.map((value) => ({ value, text: t(`library.status.${value}`) }))
        ]}
        onChange={(value) => { onChange({ status: value === ALL ? undefined : value }) }}
      />
      {knownTags.length > 0 &&
        <Select
          label={t('library.tag')} value={tag ?? ALL}
          options={[{ value: ALL, text: t('library.allTags') }, ...knownTags]}
          onChange={(value) => { onChange({ tag: value === ALL ? undefined : value }) }}
        />}
      {languages.length > 1 &&
        <Select
          label={t('library.language')} value={language ?? ALL}
          options={[{ value: ALL, text: t('library.allLanguages') }, ...languages.map((value) => ({ value, text: languageName(value) }))]}
          onChange={(value) => { onChange({ language: value === ALL ? undefined : value }) }}
        />}
      {isFiltered &&
        <Button kind='quiet' onPress={() => { onChange(NO_FILTER) }}>
          {t('library.showAll')}
        </Button>}
      <span className={styles['sort']}>
        <Select
          label={t('library.sort')} value={sort}
          options={SORTS.map((value) => ({ value, text: t(`library.sort.${value}`) }))}
          onChange={(value) => { onChange({ sort: value === 'newest' ? undefined : value }) }}
        />
      </span>
    </div>
  )
}
