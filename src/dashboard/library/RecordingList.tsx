/** The recordings, newest first unless asked otherwise. Only the rows on the screen are in the document, so ten thousand are quick. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { useHidden } from '../recordings/deletion.ts'
import { useConnection } from '../recordings/events.ts'
import { recordingsQuery } from '../recordings/recordings.ts'
import type { Recording, RecordingPages } from '../recordings/recordings.ts'
import { Button } from '../ui/Button.tsx'
import { Message } from '../ui/Message.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { EmptyLibrary } from './EmptyLibrary.tsx'
import { Filters, NO_FILTER } from './Filters.tsx'
import { Rows } from './Rows.tsx'
import { toFilter } from './search-params.ts'
import type { LibrarySearch, SearchChange } from './search-params.ts'

// What dialogs, fields and lists of tags are made of is not part of the first load.
const RenameDialog = lazyRouteComponent(async () => await import('./RenameDialog.tsx'), 'RenameDialog')
const TagsDialog = lazyRouteComponent(async () => await import('./TagsDialog.tsx'), 'TagsDialog')

/** How often the list is read while there are no events: often while something is being transcribed. */
const BUSY_POLL_MS = 2000
const IDLE_POLL_MS = 15_000
/** Longer lists are not polled: reading them takes many requests. */
const MOST_POLLED_PAGES = 3

export type RowAction = 'rename' | 'tags'

function pollEvery (pages: RecordingPages | undefined): number | false {
  if (!pages || pages.pages.length > MOST_POLLED_PAGES) return false
  const isBusy = pages.pages.some(({ data }) => data.some(({ status }) => status === 'pending' || status === 'processing'))
  return isBusy ? BUSY_POLL_MS : IDLE_POLL_MS
}

function useRecordings (search: Omit<LibrarySearch, 'q'>) {
  const isLive = useConnection() === 'live'
  const hidden = useHidden()
  const query = useInfiniteQuery({
    ...recordingsQuery(toFilter(search)), refetchInterval: ({ state }) => isLive ? false : pollEvery(state.data)
  })
  const recordings = useMemo(() =>
    (query.data?.pages ?? []).flatMap(({ data }) => data.filter(({ id }) => !hidden.has(id))), [query.data, hidden])
  return { query, recordings }
}

type Props = { search: Omit<LibrarySearch, 'q'>, onChange (change: SearchChange): void }

export function RecordingList ({ search, onChange }: Props) {
  const { t } = useTexts()
  const { query, recordings } = useRecordings(search)
  const [dialog, setDialog] = useState<{ action: RowAction, recording: Recording }>()
  const { status, tag, language } = search
  const isFiltered = status !== undefined || tag !== undefined || language !== undefined

  if (query.isPending) return <Skeleton label={t('app.loading')} rows={8} />
  if (query.isError && recordings.length === 0) {
    return (
      <Message title={t('library.failed')} detail={query.error.message}>
        <Button onPress={() => { inBackground(query.refetch()) }}>{t('app.retry')}</Button>
      </Message>
    )
  }
  if (recordings.length === 0 && isFiltered) {
    return (
      <>
        <Filters search={search} onChange={onChange} />
        <Message title={t('library.noneFits')}><Button onPress={() => { onChange(NO_FILTER) }}>{t('library.showAll')}</Button></Message>
      </>
    )
  }
  if (recordings.length === 0) return <EmptyLibrary />
  const close = (): void => { setDialog(undefined) }
  return (
    <>
      <Filters search={search} onChange={onChange} />
      <Rows
        recordings={recordings} isComplete={!query.hasNextPage} onAction={(action, recording) => { setDialog({ action, recording }) }}
        onEnd={() => {
          // A page that could not be read is asked for again when the list is, not at once and without end.
          if (query.hasNextPage && !query.isFetchingNextPage && !query.isFetchNextPageError) inBackground(query.fetchNextPage())
        }}
      />
      <Suspense>
        {dialog?.action === 'rename' && <RenameDialog recording={dialog.recording} onClose={close} />}
        {dialog?.action === 'tags' && <TagsDialog recording={dialog.recording} onClose={close} />}
      </Suspense>
    </>
  )
}
