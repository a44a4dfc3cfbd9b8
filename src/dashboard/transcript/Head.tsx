/** What a recording is: its title and tags, which can be changed, and when, how long, in which language. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FormEvent, KeyboardEvent } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { notifyOf } from '../ui/Notices.tsx'
import { KEYS } from './model/calls.ts'
import type { Transcription } from './model/calls.ts'
import styles from './Head.module.css'
import { toClock } from '../recordings/clock.ts'
import { changeRecording, nameOf } from '../recordings/recordings.ts'

/** Shows a change at once, and takes it back if it is refused. */
function useLabels (id: number) {
  const queries = useQueryClient()
  return async (change: Partial<Pick<Transcription, 'title' | 'tags'>>): Promise<void> => {
    const key = KEYS.transcription(id)
    const before = queries.getQueryData<Transcription>(key)
    queries.setQueryData<Transcription>(key, (known) => known && { ...known, ...change })
    try {
      queries.setQueryData(key, await changeRecording(queries, id, change))
    } catch (error) {
      queries.setQueryData(key, before)
      notifyOf(error)
    }
  }
}

function Title ({ transcription, onChange }: { transcription: Transcription, onChange (title: string): void }) {
  const { t } = useTexts()
  const [isEditing, setEditing] = useState(false)
  const [text, setText] = useState('')
  const title = nameOf(transcription)

  function save (event: FormEvent): void {
    event.preventDefault()
    setEditing(false)
    if (text.trim() !== '' && text !== title) onChange(text.trim())
  }
  if (isEditing) {
    return (
      <form className={styles['title']} onSubmit={save}>
        <h1 className='visually-hidden'>{title}</h1>
        {/* The person has just asked to change it. */}
        <input
          value={text} aria-label={t('transcript.title')} dir='auto' maxLength={200} autoFocus
          onChange={(event) => { setText(event.target.value) }}
          onKeyDown={(event) => { if (event.key === 'Escape') setEditing(false) }}
        />
        <Button kind='primary' type='submit'>{t('app.save')}</Button>
        <Button kind='quiet' onPress={() => { setEditing(false) }}>{t('app.cancel')}</Button>
      </form>
    )
  }
  return (
    <div className={styles['title']}>
      <h1 dir='auto'>{title}</h1>
      <Button kind='icon' aria-label={t('transcript.rename')} onPress={() => { setText(title); setEditing(true) }}>
        <Icon name='edit' />
      </Button>
    </div>
  )
}

function Tags ({ tags, onChange }: { tags: readonly string[], onChange (tags: string[]): void }) {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const [isAdding, setAdding] = useState(false)

  function add (event: FormEvent): void {
    event.preventDefault()
    const tag = text.trim()
    setText('')
    if (tag === '') setAdding(false)
    else if (!tags.some((known) => known.toLowerCase() === tag.toLowerCase())) onChange([...tags, tag])
  }
  function key ({ key: name }: KeyboardEvent): void {
    if (name === 'Escape') setAdding(false)
  }
  return (
    <div className={styles['tags']}>
      {tags.length > 0 && (
        <ul aria-label={t('transcript.tags')}>
          {tags.map((tag) => (
            <li key={tag}>
              <span dir='auto'>{tag}</span>
              <button
                type='button' aria-label={t('transcript.removeTag', { tag })}
                onClick={() => { onChange(tags.filter((one) => one !== tag)) }}
              >
                <Icon name='close' />
              </button>
            </li>
          ))}
        </ul>
      )}
      {isAdding
        ? (
          <form onSubmit={add}>
            <input
              value={text} aria-label={t('transcript.newTag')} placeholder={t('transcript.newTag')} dir='auto' maxLength={40} autoFocus
              onChange={(event) => { setText(event.target.value) }} onKeyDown={key}
              onBlur={(event) => { add(event); setAdding(false) }}
            />
          </form>
          )
        : (
          <button type='button' className={styles['add']} onClick={() => { setAdding(true) }}>
            <Icon name='tag' />{t('transcript.addTag')}
          </button>
          )}
    </div>
  )
}

function Facts ({ transcription }: { transcription: Transcription }) {
  const { t } = useTexts()
  const { day, languageName } = useFormats()
  const { createdAt, durationSeconds, language, speakerCount, sourceUrl } = transcription
  return (
    <p className={styles['facts']}>
      <span>{day(createdAt)}</span>
      {durationSeconds !== undefined && <span>{toClock(durationSeconds)}</span>}
      {language !== undefined && <span>{languageName(language)}</span>}
      {speakerCount !== undefined && speakerCount > 0 && <span>{t('transcript.speakerCount', { count: speakerCount })}</span>}
      {sourceUrl !== undefined && /^https?:/.test(sourceUrl) &&
        <a href={sourceUrl} rel='noreferrer noopener' target='_blank'>{new URL(sourceUrl).hostname}</a>}
    </p>
  )
}

export function Head ({ transcription }: { transcription: Transcription }) {
  const change = useLabels(transcription.id)
  return (
    <header className={styles['head']}>
      <Title transcription={transcription} onChange={(title) => { change({ title }).catch(notifyOf) }} />
      <div className={styles['line']}>
        <Facts transcription={transcription} />
        <Tags tags={transcription.tags} onChange={(tags) => { change({ tags }).catch(notifyOf) }} />
      </div>
      <Warnings warnings={transcription.warnings} />
    </header>
  )
}

const KNOWN_WARNINGS = ['starter_model', 'little_text', 'speakers_missing', 'speakers_substitute', 'words_only'] as const

function Warnings ({ warnings }: Pick<Transcription, 'warnings'>) {
  const { t } = useTexts()
  if (warnings.length === 0) return null
  return (
    <ul className={styles['warnings']}>
      {warnings.map(({ code, message }) => {
        const known = KNOWN_WARNINGS.find((one) => one === code)
        return <li key={code}><Icon name='warn' /><span>{known ? t(`transcript.warning.${known}`) : message}</span></li>
      })}
    </ul>
  )
}
