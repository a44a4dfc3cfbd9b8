/** What a search found: recordings by name, and moments by what was said, each of which leads to its second. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, take } from '../api/client.ts'
import { useTexts } from '../i18n/index.tsx'
import { nameOf } from '../recordings/recordings.ts'
import { useHidden } from '../recordings/deletion.ts'
import { toClock } from '../recordings/clock.ts'
import { toIsoDuration, useTimes } from '../recordings/times.ts'
import { Message } from '../ui/Message.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { findWords, Marked } from './Marked.tsx'
import { moveAmongRows } from './row-keys.ts'
import styles from './SearchResults.module.css'

const NAMES_SHOWN = 5
const MOMENTS_SHOWN = 30
/** Lower than the default of the interface: people see at a glance what fits, and the best comes first. */
const LEAST_SCORE = 0.4

const namesQuery = (q: string) => ({
  queryKey: ['search', 'names', q],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await take(api.GET('/api/v1/transcriptions', { params: { query: { q, limit: NAMES_SHOWN } }, signal }))).data,
  placeholderData: keepPreviousData
})
const momentsQuery = (q: string) => ({
  queryKey: ['search', 'moments', q],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await take(api.GET('/api/v1/library/search', { params: { query: { q, limit: MOMENTS_SHOWN, minScore: LEAST_SCORE } }, signal }))).data,
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

export function SearchResults ({ query }: { query: string }) {
  const { t } = useTexts()
  const { percent } = useTimes()
  const hidden = useHidden()
  const names = useQuery(namesQuery(query))
  const moments = useQuery(momentsQuery(query))
  const failed = moments.error ?? names.error
  if (failed) return <Message title={t('library.searchFailed')} detail={failed.message} />
  if (!names.data || !moments.data) return <Skeleton label={t('app.loading')} />

  const byName = names.data.filter(({ id }) => !hidden.has(id)).map((one) => ({ id: one.id, name: nameOf(one) }))
  const said = moments.data.results.filter(({ transcriptionId }) => !hidden.has(transcriptionId))
  const count = byName.length + said.length
  return (
    <div onKeyDown={moveAmongRows} className={styles['results']} data-stale={moments.isPlaceholderData || undefined}>
      <p role='status' className='visually-hidden'>{t('library.found', { count })}</p>
      {count === 0 && <Message title={t('library.nothingFound', { query })} detail={t('library.nothingFoundHint')} />}
      <Names found={byName} query={query} />
      {said.length > 0 &&
        <section className={styles['group']}>
          <h2>{t('library.foundMoments')}</h2>
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
                    <span className={styles['score']}>{t('library.score', { share: percent(score) })}</span>
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
