/** What can be done with a whole transcript. */
import { BASE } from '../../api/base.ts'
import { useTexts } from '../../i18n/index.tsx'
import type { TextKey } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { useCopy } from '../../ui/copy.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { IconName } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { inBackground } from '../../ui/Notices.tsx'
import { toPlainText } from '../model/plain-text.ts'
import type { PlainTextOptions } from '../model/plain-text.ts'
import type { Segments } from '../model/segments.ts'
import styles from './Tools.module.css'

const FORMATS = ['docx', 'txt', 'md', 'srt', 'vtt', 'json'] as const
const COPIES = {
  'transcript.copyText': { times: false, speakers: false },
  'transcript.copyTimes': { times: true, speakers: false },
  'transcript.copySpeakers': { times: false, speakers: true },
  'transcript.copyBoth': { times: true, speakers: true }
} as const satisfies Partial<Record<TextKey, PlainTextOptions>>

type Props = {
  id: number
  segments: Segments
  hasSpeakers: boolean
  showsDoubt: boolean
  onDoubt (shows: boolean): void
  isFinding: boolean
  onFind (): void
  /** Undefined: there is nothing to undo. */
  onUndo: (() => void) | undefined
  onHistory (): void
  /** Undefined: the plan does not include speakers, or they are being told apart. */
  onSpeakers: (() => void) | undefined
  /** Undefined: the administrator does not allow sharing. */
  onShare: (() => void) | undefined
}

/** Saves a file that the appliance makes. The session's cookie goes with the request, as with any link. */
function download (id: number, format: string): void {
  const link = document.createElement('a')
  link.href = `${BASE}/api/v1/transcriptions/${id}/export?format=${format}${format === 'docx' ? '&speakers=names' : ''}`
  link.download = ''
  link.click()
}

function Labelled ({ icon, text }: { icon: IconName, text: string }) {
  return <><Icon name={icon} /><span className={styles['label']}>{text}</span></>
}

export function Toolbar (props: Props) {
  const { id, segments, hasSpeakers, showsDoubt, onDoubt, isFinding, onFind, onUndo, onHistory, onSpeakers, onShare } = props
  const { t } = useTexts()

  const copyText = useCopy()

  async function copy (options: PlainTextOptions): Promise<void> {
    await segments.ensureAll()
    await copyText(toPlainText(segments.read().segments.flatMap((segment) => segment ?? []), options))
  }
  const copies = Object.entries(COPIES).filter(([, { speakers }]) => hasSpeakers || !speakers)

  return (
    <div className={styles['toolbar']} role='group' aria-label={t('transcript.tools')}>
      <Button kind='quiet' onPress={onFind} aria-expanded={isFinding}><Labelled icon='search' text={t('transcript.find')} /></Button>
      <Button kind='quiet' isDisabled={onUndo === undefined} onPress={() => { onUndo?.() }}>
        <Labelled icon='undo' text={t('app.undo')} />
      </Button>
      <Menu
        label={t('transcript.copy')} kind='quiet'
        actions={copies.map(([key, options]) => ({ id: key, text: t(key as TextKey), run: () => { inBackground(copy(options)) } }))}
      ><Labelled icon='copy' text={t('transcript.copy')} />
      </Menu>
      <Menu
        label={t('transcript.export')} kind='quiet'
        actions={FORMATS.map((format) => ({ id: format, text: t(`transcript.format.${format}`), run: () => { download(id, format) } }))}
      ><Labelled icon='download' text={t('transcript.export')} />
      </Menu>
      {onShare && <Button kind='quiet' onPress={onShare}><Labelled icon='link' text={t('transcript.share')} /></Button>}
      <Menu
        label={t('transcript.more')}
        actions={[
          { id: 'doubt', text: showsDoubt ? t('transcript.hideDoubt') : t('transcript.showDoubt'), run: () => { onDoubt(!showsDoubt) } },
          { id: 'history', text: t('transcript.history'), run: onHistory },
          ...onSpeakers ? [{ id: 'speakers', text: t('transcript.findSpeakersMenu'), run: onSpeakers }] : []
        ]}
      ><Icon name='more' />
      </Menu>
    </div>
  )
}
