/** How much of a limit is used. */
import { Label, Meter as AriaMeter } from 'react-aria-components'
import { useTexts } from '../i18n/index.tsx'
import { useFormats } from './formats.ts'
import styles from './Meter.module.css'

type Props = {
  label: string
  used: number
  /** Null: there is none. */
  limit: number | null
  /** Writes a quantity; default: a number. */
  write?: (value: number) => string
}

/** From this share on, the bar warns. */
const NEARLY_FULL = 0.9

export function Meter ({ label, used, limit, write }: Props) {
  const { t } = useTexts()
  const { number } = useFormats()
  const toText = write ?? ((value: number) => number(value, 1))
  const text = limit === null ? t('ui.used', { used: toText(used) }) : t('ui.usedOf', { used: toText(used), limit: toText(limit) })
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit)
  if (limit === null) return <div className={styles['meter']}><span className={styles['label']}>{label}</span><span>{text}</span></div>
  return (
    <AriaMeter value={share * 100} valueLabel={text} className={styles['meter'] ?? ''}>
      <Label className={styles['label'] ?? ''}>{label}</Label>
      <span className={styles['value']}>{text}</span>
      <div className={styles['bar']}>
        <div className={`${styles['used']} ${share >= NEARLY_FULL ? styles['full'] : ''}`} style={{ inlineSize: `${share * 100}%` }} />
      </div>
    </AriaMeter>
  )
}
