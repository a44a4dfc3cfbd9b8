/** Find and replace in the whole transcript. The appliance counts and replaces; the page marks what it finds. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { notify, notifyOf } from '../../ui/Notices.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { previewQuery, replaceText } from '../model/calls.ts'
import { findMatcher } from '../model/find-words.ts'
import type { Matcher } from '../model/find-words.ts'
import styles from './Tools.module.css'

type Props = {
  id: number
  onMatch (match: Matcher | undefined): void
  /** Shows a segment. */
  onGo (segmentId: string): void
  /** Texts have changed. */
  onReplaced (): void
  onUndo (): void
  onClose (): void
}

/** Waits until nothing was typed for a moment: every text asks the appliance. */
function useSettled (value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => { setSettled(value) }, 200)
    return () => { clearTimeout(timer) }
  }, [value])
  return settled
}

export function FindBar ({ id, onMatch, onGo, onReplaced, onUndo, onClose }: Props) {
  const { t } = useTexts()
  const [find, setFind] = useState('')
  const [replace, setReplace] = useState('')
  const [matchCase, setMatchCase] = useState(false)
  const [wholeWords, setWholeWords] = useState(false)
  const [isReplacing, setReplacing] = useState(false)
  const [place, setPlace] = useState(-1)
  const settled = useSettled(find)
  const preview = useQuery(previewQuery(id, { find: settled, replace: '', matchCase, wholeWords }))
  const { count = 0, segments = [] } = find === '' ? {} : preview.data ?? {}

  useEffect(() => {
    setPlace(-1)
    onMatch(findMatcher(settled, { matchCase, wholeWords }))
  }, [settled, matchCase, wholeWords, onMatch])
  useEffect(() => () => { onMatch(undefined) }, [onMatch])

  function go (step: 1 | -1): void {
    if (segments.length === 0) return
    const next = (Math.max(place, step === 1 ? -1 : 0) + step + segments.length) % segments.length
    setPlace(next)
    onGo(segments[next] ?? '')
  }

  async function replaceAll (): Promise<void> {
    setReplacing(true)
    try {
      const done = await replaceText(id, { find, replace, matchCase, wholeWords, preview: false })
      onReplaced()
      notify({
        kind: 'done', text: t('transcript.replaced', { count: done.count }), action: { label: t('app.undo'), run: onUndo }
      })
    } catch (error) {
      notifyOf(error)
    } finally {
      setReplacing(false)
    }
  }

  function key (event: KeyboardEvent): void {
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') {
      event.preventDefault()
      go(event.shiftKey ? -1 : 1)
    }
  }

  const shown = find === '' ? '' : t('transcript.matches', { count })
  return (
    <div role='search' className={styles['find']} onKeyDown={key}>
      <div className={styles['line']}>
        {/* The person has just asked for it. */}
        <Field label={t('transcript.find')} value={find} onChange={setFind} autoFocus />
        <span className={styles['count']} role='status'>{preview.error ? preview.error.message : shown}</span>
        <Button isDisabled={count === 0} onPress={() => { go(-1) }}>{t('transcript.previous')}</Button>
        <Button isDisabled={count === 0} onPress={() => { go(1) }}>{t('transcript.next')}</Button>
        <Button kind='icon' aria-label={t('app.close')} onPress={onClose}><Icon name='close' /></Button>
      </div>
      <div className={styles['line']}>
        <Field label={t('transcript.replaceBy')} value={replace} onChange={setReplace} />
        <Button kind='primary' isDisabled={count === 0 || isReplacing} onPress={() => { replaceAll().catch(notifyOf) }}>
          {t('transcript.replaceAll', { count })}
        </Button>
      </div>
      <div className={styles['options']}>
        <Switch label={t('transcript.matchCase')} isOn={matchCase} onChange={setMatchCase} />
        <Switch label={t('transcript.wholeWords')} isOn={wholeWords} onChange={setWholeWords} />
      </div>
    </div>
  )
}
