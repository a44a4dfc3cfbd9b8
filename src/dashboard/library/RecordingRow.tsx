/** One recording of the list. */
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { useSaid } from '../i18n/use-said.ts'
import { nameOf, retryRecording } from '../recordings/recordings.ts'
import type { Recording } from '../recordings/recordings.ts'
import { StateBadge } from '../recordings/StateBadge.tsx'
import { toClock } from '../recordings/clock.ts'
import { SPEAKER_LABEL, useSpeakerText } from '../recordings/speaker-text.ts'
import { toIsoDuration, useTimes } from '../recordings/times.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { keepFocus } from '../ui/focus.ts'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { Menu } from '../ui/Menu.tsx'
import type { Action } from '../ui/Menu.tsx'
import { inBackground } from '../ui/Notices.tsx'
import type { RowAction } from './RecordingList.tsx'
import styles from './RecordingRow.module.css'

type Props = {
  recording: Recording
  onAction (action: RowAction, recording: Recording): void
  onDelete (recording: Recording): void
}

const SPEAKERS_SHOWN = 3

/** Names, and labels in the language of the page. A single voice without a name says nothing. */
function useSpeakerNames (speakers: readonly string[]): string[] {
  const speakerText = useSpeakerText()
  if (speakers.length === 1 && SPEAKER_LABEL.test(speakers[0] ?? '')) return []
  return speakers.map(speakerText)
}

const TAGS_SHOWN = 4

/** Who talks, what it is about, or why there is no transcript. */
function Detail ({ recording }: { recording: Recording }) {
  const { t } = useTexts()
  const { tags, failure } = recording
  const speakers = useSpeakerNames(recording.speakers)
  const reason = useSaid(failure?.message)
  if (failure) return <span className={styles['fault']}>{reason}</span>
  if (speakers.length === 0 && tags.length === 0) return null
  const more = speakers.length - SPEAKERS_SHOWN
  return (
    <span className={styles['detail']}>
      {speakers.length > 0 &&
        <span className={styles['speakers']} dir='auto'>
          {speakers.slice(0, SPEAKERS_SHOWN).join(', ')}{more > 0 && ` ${t('library.moreSpeakers', { count: more })}`}
        </span>}
      {tags.slice(0, TAGS_SHOWN).map((tag) => <Badge key={tag}><span dir='auto'>{tag}</span></Badge>)}
      {tags.length > TAGS_SHOWN && <Badge>+{tags.length - TAGS_SHOWN}</Badge>}
    </span>
  )
}

function Facts ({ recording }: { recording: Recording }) {
  const { t } = useTexts()
  const { when, full } = useTimes()
  const { languageName } = useFormats()
  const { language, durationSeconds, createdAt } = recording
  return (
    <>
      <span className={styles['language']}>
        {language !== undefined && <><span className='visually-hidden'>{t('library.language')}: </span>{languageName(language)}</>}
      </span>
      <span className={styles['duration']}>
        {durationSeconds !== undefined &&
          <>
            <span className='visually-hidden'>{t('library.duration')}: </span>
            <time dateTime={toIsoDuration(durationSeconds)}>{toClock(durationSeconds)}</time>
          </>}
      </span>
      <time className={styles['when']} dateTime={createdAt} title={full(createdAt)}>{when(createdAt)}</time>
    </>
  )
}

export const RecordingRow = memo(function RecordingRow ({ recording, onAction, onDelete }: Props) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const name = nameOf(recording)
  const retry = (): void => { inBackground(retryRecording(queries, recording.id).then(keepFocus)) }
  const isFailed = recording.status === 'failed'
  const actions: Action[] = [
    { id: 'rename', text: t('library.rename'), run: () => { onAction('rename', recording) } },
    { id: 'tags', text: t('library.editTags'), run: () => { onAction('tags', recording) } },
    ...(isFailed ? [{ id: 'retry', text: t('app.retry'), run: retry }] : []),
    { id: 'delete', text: t('app.delete'), run: () => { onDelete(recording) } }
  ]
  return (
    <div className={styles['row']}>
      <div className={styles['main']}>
        <Link to='/transcripts/$id' params={{ id: String(recording.id) }} className={styles['name']} data-row-link='' dir='auto'>
          {name}
        </Link>
        <Detail recording={recording} />
      </div>
      <div className={styles['state']}>
        <StateBadge recording={recording} />
        {isFailed &&
          <Button kind='icon' aria-label={t('library.retry', { name })} onPress={retry}><Icon name='refresh' /></Button>}
      </div>
      <Facts recording={recording} />
      <div className={styles['menu']}>
        <Menu label={t('library.actions', { name })} actions={actions}><Icon name='more' /></Menu>
      </div>
    </div>
  )
})
