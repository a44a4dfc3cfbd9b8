/** Links that let others read and hear one transcript until a day. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { useCopy } from '../../ui/copy.ts'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { inBackground } from '../../ui/Notices.tsx'
import { createShare, deleteShare, KEYS, sharesQuery } from '../model/calls.ts'
import styles from './Tools.module.css'

const DAYS = ['1', '7', '30', '90'] as const
type Days = typeof DAYS[number]

function useDate (): (iso: string) => string {
  const { language } = useTexts()
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' })
  return (iso) => format.format(new Date(iso))
}

function Links ({ id }: { id: number }) {
  const { t } = useTexts()
  const date = useDate()
  const queries = useQueryClient()
  const { data = [] } = useQuery(sharesQuery(id))
  async function remove (shareId: number): Promise<void> {
    await deleteShare(id, shareId)
    await queries.invalidateQueries({ queryKey: KEYS.shares(id) })
  }
  if (data.length === 0) return null
  return (
    <>
      <h3>{t('transcript.shares')}</h3>
      <ul className={styles['shares']}>
        {data.map((share) => (
          <li key={share.id}>
            {t('transcript.shareUntil', { date: date(share.expiresAt) })}
            <Button
              kind='icon' aria-label={t('transcript.endShare', { date: date(share.expiresAt) })}
              onPress={() => { inBackground(remove(share.id)) }}
            ><Icon name='trash' />
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

function NewLink ({ id }: { id: number }) {
  const { t } = useTexts()
  const queries = useQueryClient()
  const [days, setDays] = useState<Days>('7')
  const [url, setUrl] = useState<string>()
  const copy = useCopy()
  async function create (): Promise<void> {
    const made = await createShare(id, Number(days))
    setUrl(made.url)
    await queries.invalidateQueries({ queryKey: KEYS.shares(id) })
  }
  return (
    <>
      <div className={styles['new']}>
        <Choice
          label={t('transcript.shareFor')} value={days} onChange={(value) => { setDays(value) }}
          options={DAYS.map((value) => ({ value, text: t('transcript.days', { count: Number(value) }) }))}
        />
        <Button kind='primary' onPress={() => { inBackground(create()) }}>{t('transcript.createLink')}</Button>
      </div>
      {url !== undefined && (
        <div className={styles['link']}>
          <Field label={t('transcript.link')} value={url} isReadOnly hint={t('transcript.linkHint')} />
          <Button aria-label={t('transcript.copyLink')} onPress={() => { inBackground(copy(url)) }}>
            <Icon name='copy' />{t('transcript.copy')}
          </Button>
        </div>
      )}
    </>
  )
}

export function ShareDialog ({ id, isOpen, onClose }: { id: number, isOpen: boolean, onClose (): void }) {
  const { t } = useTexts()
  return (
    <Dialog title={t('transcript.share')} isOpen={isOpen} onClose={onClose}>
      <p className={styles['quiet']}>{t('transcript.shareDetail')}</p>
      <NewLink id={id} />
      <Links id={id} />
      <DialogButtons><Button onPress={onClose}>{t('app.close')}</Button></DialogButtons>
    </Dialog>
  )
}
