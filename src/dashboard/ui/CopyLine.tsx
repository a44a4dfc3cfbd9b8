/** A line of text that is made to be copied. */
import { useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from './Button.tsx'
import { copyText } from './copy.ts'
import { Icon } from './Icon.tsx'
import { inBackground } from './Notices.tsx'
import styles from './CopyLine.module.css'

type Props = { label: string, text: string, hint?: string }

export function CopyLine ({ label, text, hint }: Props) {
  const { t } = useTexts()
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready')
  const copy = async (): Promise<void> => { setState(await copyText(text) ? 'copied' : 'refused') }
  return (
    <div className={styles['block']}>
      <div className={styles['head']}>
        <span className={styles['label']}>{label}</span>
        <Button kind='quiet' aria-label={`${t('ui.copy')}: ${label}`} onPress={() => { inBackground(copy()) }}>
          <Icon name={state === 'copied' ? 'check' : 'copy'} />{state === 'copied' ? t('ui.copied') : t('ui.copy')}
        </Button>
      </div>
      {/* Reached by keyboard, because it may scroll, and so that it can be selected. */}
      <code className={styles['text']} role='textbox' aria-readonly='true' aria-label={label} tabIndex={0} dir='ltr'>{text}</code>
      {hint !== undefined && <p className={styles['hint']}>{hint}</p>}
      <span role='status' className={state === 'refused' ? styles['hint'] : 'visually-hidden'}>
        {state === 'copied' ? t('ui.copied') : state === 'refused' ? t('ui.copyRefused') : ''}
      </span>
    </div>
  )
}
