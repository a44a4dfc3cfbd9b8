/** A bar for each day, drawn as SVG; a table says the same to screen readers, and to everybody who opens it. */
import { useState } from 'react'
import { useTexts } from '../i18n/index.tsx'
import { Button } from '../ui/Button.tsx'
import { useFormats } from '../ui/formats.ts'
import { Table } from '../ui/Table.tsx'
import styles from './DayChart.module.css'

type Day = { day: string, value: number }
type Props = { label: string, days: readonly Day[] }

/** Units of the drawing, which is stretched to the width of the page. */
const WIDTH = 720
const HEIGHT = 180
const LINES = 4
/** The share of a day's place that its bar takes. */
const BAR_SHARE = 0.7

/** The least round number (1, 2 or 5 times a power of ten, times the lines) that is not less than the value. */
function roundUp (value: number): number {
  const step = Math.max(1, value) / LINES
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 5, 10].find((one) => one * power >= step) ?? 10
  return factor * power * LINES
}

export function DayChart ({ label, days }: Props) {
  const { t } = useTexts()
  const { shortDay, number } = useFormats()
  const [isTableShown, setIsTableShown] = useState(false)
  const [pointed, setPointed] = useState<Day>()
  const top = roundUp(Math.max(...days.map(({ value }) => value), 0))
  const place = WIDTH / days.length
  const total = days.reduce((sum, { value }) => sum + value, 0)
  const lines = Array.from({ length: LINES + 1 }, (_, line) => line / LINES)
  return (
    <figure className={styles['figure']}>
      <figcaption className={styles['caption']}>
        {pointed === undefined
          ? t('settings.usage.total', { label, total: number(total, 1) })
          : t('settings.usage.onDay', { day: shortDay(pointed.day), label, value: number(pointed.value, 1) })}
      </figcaption>
      <div className={styles['chart']} aria-hidden='true'>
        <div className={styles['scale']}>{lines.toReversed().map((share) => <span key={share}>{number(share * top, 1)}</span>)}</div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio='none' className={styles['bars']}
          onPointerLeave={() => { setPointed(undefined) }}
        >
          {lines.map((share) => (
            <line
              key={share} x1='0' x2={WIDTH} y1={HEIGHT * share} y2={HEIGHT * share} className={styles['line']}
              vectorEffect='non-scaling-stroke'
            />
          ))}
          {days.map((one, index) => (
            <g key={one.day} onPointerEnter={() => { setPointed(one) }} className={styles['day']}>
              <rect x={index * place} width={place} y='0' height={HEIGHT} className={styles['place']} />
              <rect
                x={(index + (1 - BAR_SHARE) / 2) * place} width={place * BAR_SHARE} y={HEIGHT * (1 - one.value / top)}
                height={HEIGHT * one.value / top} className={styles['bar']}
              />
            </g>
          ))}
        </svg>
        <div className={styles['days']}>
          {[days[0], days[Math.floor(days.length / 2)], days.at(-1)].map((one, index) => (
            <span key={index}>{one && shortDay(one.day)}</span>
          ))}
        </div>
      </div>
      <div>
        <Button aria-expanded={isTableShown} onPress={() => { setIsTableShown(!isTableShown) }}>{t('settings.usage.table')}</Button>
      </div>
      <div className={isTableShown ? '' : 'visually-hidden'}>
        <Table label={t('settings.usage.perDay')} head={[t('settings.usage.day'), label]} isSeen={isTableShown}>
          {days.map(({ day, value }) => <tr key={day}><th scope='row'>{shortDay(day)}</th><td>{number(value, 1)}</td></tr>)}
        </Table>
      </div>
    </figure>
  )
}
