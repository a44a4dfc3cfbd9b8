/** What a library without recordings says: how the first one gets there. */
import { Link } from '@tanstack/react-router'
import { BASE } from '../api/base.ts'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { useCopy } from '../ui/copy.ts'
import { Icon } from '../ui/Icon.tsx'
import { inBackground } from '../ui/Notices.tsx'
import { ChooseFiles } from './AddButton.tsx'
import styles from './EmptyLibrary.module.css'

const toCommand = (): string => `curl -H "Authorization: Bearer $STENOBOX_KEY" -H "Content-Type: application/json" \\
  -d '{"sourceUrl":"https://example.org/talk.mp3"}' ${location.origin}${BASE}/api/v1/media/ingest`

export function EmptyLibrary () {
  const { t } = useTexts()
  const command = toCommand()
  const copy = useCopy()
  return (
    <div className={styles['empty']}>
      <div className={styles['drop']}>
        <span className={styles['icon']}><Icon name='upload' /></span>
        <h2>{t('library.empty')}</h2>
        <p>{t('library.emptyHint')}</p>
        <ChooseFiles />
      </div>
      <div className={styles['command']}>
        <p>{t('library.emptyCommand')} <Link to='/settings/$section' params={{ section: 'api' }}>{t('library.emptyKey')}</Link></p>
        <div className={styles['code']}>
          <pre tabIndex={0} role='region' aria-label={t('library.command')}><code>{command}</code></pre>
          <Button kind='icon' aria-label={t('library.copyCommand')} onPress={() => { inBackground(copy(command)) }}>
            <Icon name='copy' />
          </Button>
        </div>
      </div>
    </div>
  )
}
