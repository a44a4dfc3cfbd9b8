/** What is being sent, above the content of every page, so that it is found from anywhere. */
import { Button } from '../ui/Button.tsx'
import { useFormats } from '../ui/formats.ts'
import { Icon } from '../ui/Icon.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { Progress } from '../ui/Progress.tsx'
import { useTexts } from '../i18n/index.tsx'
import { cancelUpload, clearUploads, countActive, retryUpload, useUploads } from './upload-list.ts'
import type { Upload } from './uploads.ts'
import styles from './UploadPanel.module.css'

function Line ({ upload }: { upload: Upload }) {
  const { t } = useTexts()
  const { bytes } = useFormats()
  const { key, name, state, sentBytes, sizeBytes, fault } = upload
  const detail = {
    waiting: t('upload.waiting'),
    sending: t('upload.sending', { sent: bytes(sentBytes), size: bytes(sizeBytes) }),
    paused: t('upload.paused'),
    done: '',
    failed: fault ?? ''
  }[state]
  return (
    <li className={styles['line']} data-state={state}>
      <span className={styles['name']} dir='auto'>{name}</span>
      <span className={styles['detail']}>{detail}</span>
      {(state === 'sending' || state === 'paused') &&
        <span className={styles['bar']}><Progress label={t('upload.progressOf', { name })} share={sentBytes / sizeBytes} /></span>}
      <span className={styles['actions']}>
        {state === 'failed' &&
          <Button kind='icon' aria-label={t('upload.retry', { name })} onPress={() => { retryUpload(key) }}>
            <Icon name='refresh' />
          </Button>}
        <Button kind='icon' aria-label={t('upload.cancel', { name })} onPress={() => { inBackground(cancelUpload(key)) }}>
          <Icon name='close' />
        </Button>
      </span>
    </li>
  )
}

/** How many lines are listed: a dropped folder may hold thousands of files. */
const SHOWN = 4
/** What is done is in the library. */
const RANK = { failed: 0, sending: 1, paused: 1, waiting: 2, done: undefined } as const

export function UploadPanel () {
  const { t } = useTexts()
  const uploads = useUploads()
  const active = countActive(uploads)
  const rankOf = ({ state }: Upload): number => RANK[state] ?? 0
  const open = uploads.filter(({ state }) => RANK[state] !== undefined).sort((a, b) => rankOf(a) - rankOf(b) || a.key - b.key)
  const title = active > 0 ? t('upload.active', { count: active }) : t('upload.allDone')
  return (
    <section className={styles['panel']} aria-label={t('upload.title')}>
      <div className={styles['head']}>
        <p role='status'>{title}</p>
        {active === 0 && <Button kind='quiet' onPress={clearUploads}>{t('app.close')}</Button>}
      </div>
      {open.length > 0 && <ul>{open.slice(0, SHOWN).map((upload) => <Line key={upload.key} upload={upload} />)}</ul>}
      {open.length > SHOWN && <p className={styles['detail']}>{t('upload.more', { count: open.length - SHOWN })}</p>}
    </section>
  )
}
