/** What a search found: recordings by name, and moments by what was said, each of which leads to its second. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { nameOf } from '../recordings/recordings.ts'
import { useHidden } from '../recordings/deletion.ts'
import { toClock } from '../recordings/clock.ts'
import { toIsoDuration, useTimes } from '../recordings/times.ts'
import { Button } from '../ui/Button.tsx'
import { keepFocus } from '../ui/focus.ts'
import { Message } from '../ui/Message.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { FilterChips } from './FilterChips.tsx'
import { findWords, Marked } from './Marked.tsx'
import { moveAmongRows } from './row-keys.ts'
import { fits, NO_FILTERS, readFilter, toQuery } from './search-filter.ts'
import type { SearchFilter } from './search-filter.ts'
import type { LibrarySearch, SearchChange } from './search-params.ts'
import styles from './SearchResults.module.css'

const NAMES_SHOWN = 5
/** The list knows fewer filters than the search: of this many recordings with such a name, those that fit are taken. */
const NAMES_FILTERED = 100
const MOMENTS_SHOWN = 30
/** Lower than the default of the interface: people see at a glance what fits, and the best comes first. */
const LEAST_SCORE = 0.4

const isEmpty = (filter: SearchFilter): boolean => Object.keys(filter).length === 0

const namesQuery = (q: string, filter: SearchFilter) => ({
  queryKey: ['search', 'names', q, filter],
  async queryFn ({ signal }: { signal: AbortSignal }) {
    const query = { q, language: filter.language, limit: isEmpty(filter) ? NAMES_SHOWN : NAMES_FILTERED }
    const { data } = await take(api.GET('/api/v1/transcriptions', { params: { query }, signal }))
    return data.filter((one) => fits(one, filter)).slice(0, NAMES_SHOWN)
  },
  placeholderData: keepPreviousData
})
const momentsQuery = (q: string, filter: SearchFilter) => ({
  queryKey: ['search', 'moments', q, filter],
  async queryFn ({ signal }: { signal: AbortSignal }) {
    const query = { q, limit: MOMENTS_SHOWN, minScore: LEAST_SCORE, ...toQuery(filter) }
    return (await take(api.GET('/api/v1/library/search', { params: { query }, signal }))).data
  },
  placeholderData: keepPreviousData
})
type Found = { id: number, name: string }

function Names ({ found, query }: { found: readonly Found[], query: string }) {
  const { t } = useTexts()
  if (found.length === 0) return null
  return (
    <section className={styles['group']}>
      <h2>{t('library.list')}</h2>
      <ul className={styles['list']}>
        {found.map(({ id, name }) => (
          <li key={id}>
            <Link to='/transcripts/$id' params={{ id: String(id) }} className={styles['row']} data-row-link=''>
              <span className={styles['name']} dir='auto'><Marked text={name} marks={findWords(name, query)} /></span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Nothing was found, or the search did not work: without the filters it may. */
function Nothing ({ title, detail, onAll }: { title: string, detail: string, onAll?: (() => void) | undefined }) {
  const { t } = useTexts()
  return (
    <Message title={title} detail={detail}>
      {onAll && <Button onPress={onAll}>{t('search.removeAll')}</Button>}
    </Message>
  )
}

type Props = { query: string, search: LibrarySearch, onChange (change: SearchChange): void }

export function SearchResults ({ query, search, onChange }: Props) {
  const filter = readFilter(search)
  const removeAll = (): void => {
    onChange(NO_FILTERS)
    keepFocus()
  }
  return (
    <>
      <FilterChips filter={filter} onChange={onChange} />
      <Results query={query} filter={filter} onAll={isEmpty(filter) ? undefined : removeAll} />
    </>
  )
}

function Results ({ query, filter, onAll }: { query: string, filter: SearchFilter, onAll: (() => void) | undefined }) {
  const { t } = useTexts()
  const { percent } = useTimes()
  const hidden = useHidden()
  const names = useQuery(namesQuery(query, filter))
  const moments = useQuery(momentsQuery(query, filter))
  const failed = moments.error ?? names.error
  if (failed) return <Nothing title={t('search.failed')} detail={failed.message} onAll={onAll} />
  if (!names.data || !moments.data) return <Skeleton label={t('app.loading')} />

  const byName = names.data.filter(({ id }) => !hidden.has(id)).map((one) => ({ id: one.id, name: nameOf(one) }))
  const said = moments.data.results.filter(({ transcriptionId }) => !hidden.has(transcriptionId))
  const count = byName.length + said.length
  return (
    <div onKeyDown={moveAmongRows} className={styles['results']} data-stale={moments.isPlaceholderData || undefined}>
      <p role='status' className='visually-hidden'>{t('search.found', { count })}</p>
      {count === 0 &&
        <Nothing title={t('search.nothing', { query })} detail={t(onAll ? 'search.nothingFits' : 'search.nothingHint')} onAll={onAll} />}
      <Names found={byName} query={query} />
      {said.length > 0 &&
        <section className={styles['group']}>
          <h2>{t('search.moments')}</h2>
          <ul className={styles['list']}>
            {said.map(({ transcriptionId, title, snippet, highlights, timestampSeconds, score }) => (
              <li key={transcriptionId}>
                <Link
                  to='/transcripts/$id' params={{ id: String(transcriptionId) }} search={{ at: timestampSeconds, q: query }}
                  className={styles['row']} data-row-link=''
                >
                  <span className={styles['head']}>
                    <span className={styles['name']} dir='auto'>{title}</span>
                    <time className={styles['time']} dateTime={toIsoDuration(timestampSeconds)}>{toClock(timestampSeconds)}</time>
                    <span className={styles['score']}>{t('search.score', { share: percent(score) })}</span>
                  </span>
                  <span className={styles['snippet']} dir='auto'><Marked text={snippet} marks={highlights} /></span>
                </Link>
              </li>
            ))}
          </ul>
        </section>}
    </div>
  )
}
