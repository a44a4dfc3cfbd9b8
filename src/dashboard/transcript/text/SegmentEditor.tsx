/** The text of a segment while it is edited. It looks like the text around it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { toSpokenTime } from '../../recordings/clock.ts'
import type { Segment } from '../model/segment.ts'
import styles from './Text.module.css'
import { useEditState } from './use-edits.ts'
import type { Edits, EditFault } from './use-edits.ts'
import { SESSION } from '../../api/session.ts'

type Props = { segment: Segment, edits: Edits, language: string | undefined }

function Fault ({ fault }: { fault: EditFault }) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const isOver = fault.kind === 'session'
  // The page notices that nobody is signed in, and opens the sign-in over it; the text stays.
  useEffect(() => {
    if (isOver) queries.invalidateQueries({ queryKey: SESSION }).catch(() => undefined)
  }, [isOver, queries])
  if (!isOver) return <span>{fault.kind === 'unreachable' ? t('transcript.saveUnreachable') : fault.message}</span>
  return <span>{t('transcript.saveSession')}</span>
}

export function SegmentEditor ({ segment, edits, language }: Props) {
  const { t, language: pageLanguage } = useTexts()
  const { text, isSaving, fault } = useEditState(edits, segment)
  const area = useRef<HTMLTextAreaElement>(null)

  useEffect(() => {
    if (!edits.takeFocus(segment.id)) return
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [edits, segment.id])
  // As high as its text, in browsers that cannot do it by style.
  useLayoutEffect(() => {
    if (!area.current) return
    area.current.style.height = 'auto'
    area.current.style.height = `${area.current.scrollHeight}px`
  }, [text])

  function key (event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      edits.save(segment)
    } else if (event.key === 'Escape') {
      event.preventDefault()
      edits.leave(segment)
    }
  }

  return (
    <div className={styles['editor']}>
      <textarea
        ref={area} rows={1} value={text} dir='auto' lang={language} readOnly={isSaving} aria-invalid={fault !== undefined} spellCheck
        aria-label={t('transcript.textFrom', { time: toSpokenTime(segment.start, pageLanguage) })}
        onChange={(event) => { edits.write(segment, event.target.value) }} onKeyDown={key}
      />
      <div className={styles['editorEnd']}>
        <div role='alert' className={styles['fault']}>{fault && <Fault fault={fault} />}</div>
        <span className={styles['keys']}>{t('transcript.editKeys')}</span>
        <Button kind='quiet' onPress={() => { edits.leave(segment) }}>{t('app.cancel')}</Button>
        <Button kind='primary' isDisabled={isSaving} onPress={() => { edits.save(segment) }}>{t('app.save')}</Button>
      </div>
    </div>
  )
}
