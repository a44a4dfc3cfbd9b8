/** The player at the top of a transcript, on phones at the bottom of the screen. */
import { useEffect, useRef } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import type { Texts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { inBackground } from '../../ui/Notices.tsx'
import { keepFocus } from '../../ui/focus.ts'
import { toClock } from '../../recordings/clock.ts'
import type { Peaks } from '../model/peaks.ts'
import { RATES } from './player.ts'
import type { Player, PlayerFault } from './player.ts'
import styles from './Player.module.css'
import { usePlayerState } from './use-player.ts'
import { Waveform } from './Waveform.tsx'
import type { Mark } from './Waveform.tsx'

type Props = {
  player: Player, duration: number, peaks: Peaks | undefined, marks?: readonly Mark[]
  /** A person has chosen a time in seconds. */
  onSeek?: (seconds: number) => void
}
const NO_MARKS: readonly Mark[] = []

function Time ({ player, duration }: { player: Player, duration: number }) {
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const show = (seconds: number): void => {
      const text = toClock(seconds)
      if (place.current && place.current.textContent !== text) place.current.textContent = text
    }
    show(player.time())
    return player.onTime(show)
  }, [player])
  // Screen readers get the time from the slider, when they ask for it.
  return <span className={styles['time']} aria-hidden='true'><span ref={place} data-testid='time' />{` / ${toClock(duration)}`}</span>
}

const rateText = (rate: number, language: Texts['language']): string => `${new Intl.NumberFormat(language).format(rate)}×`

function Speed ({ player, rate }: { player: Player, rate: number }) {
  const { t, language } = useTexts()
  const actions = RATES.map((one) => ({ id: String(one), text: rateText(one, language), run: () => { player.setRate(one) } }))
  return (
    <Menu label={t('transcript.speed', { rate: rateText(rate, language) })} actions={actions} kind='quiet'>
      <span className={styles['rate']}>{rateText(rate, language)}</span>
    </Menu>
  )
}

const FAULTS = { gone: 'transcript.audioGone', unavailable: 'transcript.audioUnavailable', failed: 'transcript.audioFailed' } as const

function Fault ({ player, fault }: { player: Player, fault: PlayerFault }) {
  const { t } = useTexts()
  const retry = (): void => { inBackground(player.begin().then(keepFocus)) }
  return (
    <section className={styles['bar']} aria-label={t('transcript.player')}>
      <p role='status' className={styles['fault']}><Icon name='warn' />{t(FAULTS[fault])}</p>
      {fault === 'unavailable' && <Button onPress={retry}>{t('app.retry')}</Button>}
    </section>
  )
}

export function PlayerBar ({ player, duration, peaks, marks = NO_MARKS, onSeek }: Props) {
  const { t } = useTexts()
  const { isPlaying, rate, volume, skipsPauses, fault } = usePlayerState(player)
  if (fault !== undefined) return <Fault player={player} fault={fault} />
  return (
    <section className={styles['bar']} aria-label={t('transcript.player')}>
      <span className={styles['play']}>
        <Button kind='primary' aria-label={isPlaying ? t('transcript.pause') : t('transcript.play')} onPress={() => { player.toggle() }}>
          <Icon name={isPlaying ? 'pause' : 'play'} />
        </Button>
      </span>
      <Time player={player} duration={duration} />
      <Waveform player={player} duration={duration} peaks={peaks} marks={marks} onSeek={onSeek} />
      <Speed player={player} rate={rate} />
      <input
        className={styles['volume']} type='range' min='0' max='1' step='0.05' value={volume} aria-label={t('transcript.volume')}
        onChange={(event) => { player.setVolume(Number(event.target.value)) }}
      />
      <Menu
        label={t('transcript.playerMenu')}
        actions={[
          { id: 'back', text: t('transcript.back10'), run: () => { player.skip(-10) } },
          { id: 'on', text: t('transcript.on10'), run: () => { player.skip(10) } },
          {
            id: 'pauses',
            text: skipsPauses ? t('transcript.hearPauses') : t('transcript.skipPauses'),
            run: () => { player.setSkipsPauses(!skipsPauses) }
          }
        ]}
      >
        <Icon name='more' />
      </Menu>
    </section>
  )
}
