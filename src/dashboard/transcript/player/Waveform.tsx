/** The recording as a wave. A slider: press, drag, arrows, Page Up and Down, Home and End go to another time. */
import { useEffect, useRef } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { toClock, toSpokenTime } from '../../recordings/clock.ts'
import { toColumns } from '../model/peaks.ts'
import type { Peaks } from '../model/peaks.ts'
import type { Player } from './player.ts'
import styles from './Player.module.css'

export type Mark = { seconds: number, title: string }
type Props = {
  player: Player, duration: number, peaks: Peaks | undefined, marks: readonly Mark[]
  /** A person has gone to a time in seconds. */
  onSeek?: ((seconds: number) => void) | undefined
}

/** CSS pixels of a bar and of the space after it. */
const BAR = 2
const GAP = 1
const STEP = 5
const LONG_STEP = 30

type Drawing = { canvas: HTMLCanvasElement, columns: Float32Array, played: number }

function draw ({ canvas, columns, played }: Drawing): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const scale = devicePixelRatio
  const { width, height } = canvas
  const style = getComputedStyle(canvas)
  const [rest, done] = [style.getPropertyValue('--wave'), style.getPropertyValue('--wave-played')]
  context.clearRect(0, 0, width, height)
  for (const [column, level] of columns.entries()) {
    const tall = Math.max(2 * scale, level * (height - 2 * scale))
    context.fillStyle = column < played ? done : rest
    context.fillRect(column * (BAR + GAP) * scale, (height - tall) / 2, BAR * scale, tall)
  }
}

/** Draws on the canvas whenever its size, the wave, the colours or the played part change. */
function useDrawing ({ player, duration, peaks }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const drawing: Drawing = { canvas: element, columns: new Float32Array(), played: 0 }
    const columnAt = (seconds: number): number => duration > 0 ? Math.round(seconds / duration * drawing.columns.length) : 0
    function fit (): void {
      const { clientWidth, clientHeight } = drawing.canvas
      drawing.canvas.width = Math.round(clientWidth * devicePixelRatio)
      drawing.canvas.height = Math.round(clientHeight * devicePixelRatio)
      const count = Math.max(1, Math.floor(clientWidth / (BAR + GAP)))
      drawing.columns = peaks ? toColumns(peaks, duration, count) : new Float32Array(count)
      drawing.played = columnAt(player.time())
      draw(drawing)
    }
    const size = new ResizeObserver(fit)
    size.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', fit)
    const stop = player.onTime((seconds) => {
      const played = columnAt(seconds)
      if (played === drawing.played) return
      drawing.played = played
      draw(drawing)
    })
    return () => {
      size.disconnect()
      scheme.removeEventListener('change', fit)
      stop()
    }
  }, [player, duration, peaks])
  return canvas
}

/** The time is written to the attributes directly: rendering at every frame would take time from the page. */
function useSliderValue (player: Player) {
  const { language } = useTexts()
  const slider = useRef<HTMLDivElement>(null)
  useEffect(() => {
    function show (seconds: number): void {
      const value = String(Math.floor(seconds))
      if (slider.current?.getAttribute('aria-valuenow') === value) return
      slider.current?.setAttribute('aria-valuenow', value)
      slider.current?.setAttribute('aria-valuetext', toSpokenTime(seconds, language))
    }
    show(player.time())
    return player.onTime(show)
  }, [player, language])
  return slider
}

export function Waveform (props: Props) {
  const { player, duration, marks, onSeek } = props
  const { t } = useTexts()
  const canvas = useDrawing(props)
  const slider = useSliderValue(player)
  const hint = useRef<HTMLSpanElement>(null)

  const shareAt = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, (clientX - left) / width))
  }
  function press (event: PointerEvent<HTMLDivElement>): void {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    player.seek(shareAt(event) * duration)
  }
  function move (event: PointerEvent<HTMLDivElement>): void {
    const share = shareAt(event)
    if (hint.current) {
      hint.current.textContent = toClock(share * duration)
      hint.current.style.insetInlineStart = `${share * 100}%`
    }
    if (event.currentTarget.hasPointerCapture(event.pointerId)) player.seek(share * duration)
  }
  function release (event: PointerEvent<HTMLDivElement>): void {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onSeek?.(shareAt(event) * duration)
  }
  function key (event: KeyboardEvent): void {
    const now = player.time()
    const targets: Partial<Record<string, number>> = {
      ArrowLeft: now - STEP, ArrowDown: now - STEP, ArrowRight: now + STEP, ArrowUp: now + STEP,
      PageDown: now - LONG_STEP, PageUp: now + LONG_STEP, Home: 0, End: duration
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    const seconds = Math.max(0, Math.min(duration, target))
    player.seek(seconds)
    onSeek?.(seconds)
  }

  return (
    <div
      // Time runs from left to right in every language.
      ref={slider} dir='ltr' className={styles['wave']} role='slider' tabIndex={0} aria-label={t('transcript.position')}
      aria-valuemin={0} aria-valuemax={Math.floor(duration)} aria-valuenow={0}
      onPointerDown={press} onPointerMove={move} onPointerUp={release} onKeyDown={key}
    >
      <canvas ref={canvas} aria-hidden='true' />
      {duration > 0 && marks.filter(({ seconds }) => seconds > 0).map(({ seconds, title }) => (
        <span key={seconds} className={styles['mark']} title={title} style={{ insetInlineStart: `${seconds / duration * 100}%` }} />
      ))}
      <span ref={hint} className={styles['hint']} aria-hidden='true' />
    </div>
  )
}
