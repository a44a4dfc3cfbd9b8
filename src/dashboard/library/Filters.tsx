/** The order of the library, and what of it is shown. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTexts } from '../i18n/index.tsx'
import { RECORDINGS, tagsQuery } from '../recordings/recordings.ts'
import type { RecordingPages, RecordingStatus } from '../recordings/recordings.ts'
import { Button } from '../ui/Button.tsx'
import { Choice } from '../ui/Choice.tsx'
import { useFormats } from '../ui/formats.ts'
import styles from './Filters.module.css'
import { SORTS } from './search-params.ts'
import type { LibrarySearch } from './search-params.ts'

/** No status, tag or language is called so. */
const ALL = ''
const STATUSES: readonly RecordingStatus[] = ['completed', 'processing', 'pending', 'failed']

type Change = { [K in keyof LibrarySearch]?: LibrarySearch[K] | undefined }
type Props = { search: Omit<LibrarySearch, 'q'>, onChange (change: Change): void }

/** The languages of the recordings that were seen so far. */
function useLanguages (chosen: string | undefined): string[] {
  const lists = useQueryClient().getQueriesData<RecordingPages>({ queryKey: RECORDINGS })
  const found = lists.flatMap(([, pages]) => pages?.pages.flatMap(({ data }) => data.flatMap(({ language }) => language ?? [])) ?? [])
  return [...new Set([...found, ...(chosen === undefined ? [] : [chosen])])].sort()
}

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
      <Choice
        label={t('library.status')} isLabelShown={false} value={status ?? ALL}
        options={[{ value: ALL, text: t('library.allStatuses') }, ...STATUSES.map((value) => ({ value, text: t(`library.status.${value}`) }))]}
        onChange={(value) => { onChange({ status: value === ALL ? undefined : value }) }}
      />
      {knownTags.length > 0 &&
        <Choice
          label={t('library.tag')} isLabelShown={false} value={tag ?? ALL}
          options={[{ value: ALL, text: t('library.allTags') }, ...knownTags]}
          onChange={(value) => { onChange({ tag: value === ALL ? undefined : value }) }}
        />}
      {languages.length > 1 &&
        <Choice
          label={t('library.language')} isLabelShown={false} value={language ?? ALL}
          options={[{ value: ALL, text: t('library.allLanguages') }, ...languages.map((value) => ({ value, text: languageName(value) }))]}
          onChange={(value) => { onChange({ language: value === ALL ? undefined : value }) }}
        />}
      {isFiltered &&
        <Button kind='quiet' onPress={() => { onChange({ status: undefined, tag: undefined, language: undefined }) }}>
          {t('library.showAll')}
        </Button>}
      <span className={styles['sort']}>
        <Choice
          label={t('library.sort')} isLabelShown={false} value={sort} options={SORTS.map((value) => ({ value, text: t(`library.sort.${value}`) }))}
          onChange={(value) => { onChange({ sort: value === 'newest' ? undefined : value }) }}
        />
      </span>
    </div>
  )
}
