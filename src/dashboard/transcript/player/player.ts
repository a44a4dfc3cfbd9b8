/**
 * The player: an audio element, its speed and volume, and what is wrong with it. A browser that cannot play the recording as it is gets
 * it as WAV, which the appliance converts while it sends it.
 */
import { findPauseEnd } from '../model/word-index.ts'
import type { WordIndex } from '../model/word-index.ts'

export const RATES = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const
/** Pauses from this many seconds on are skipped, if the person wants that. */
const LEAST_PAUSE = 1.5
/** Seconds of a pause that are heard before the next word. */
const LEAD = 0.25
const RATE_PLACE = 'stenobox.rate'
const SKIP_PLACE = 'stenobox.skipPauses'

export type PlayerState = {
  isPlaying: boolean
  rate: number
  /** 0 to 1. */
  volume: number
  skipsPauses: boolean
  /** `gone`: the recording was deleted; `failed`: it cannot be played. */
  fault: 'gone' | 'failed' | undefined
  /** The appliance converts the recording for this browser. */
  isConverted: boolean
}

/** `convertedUrl`: the same recording as WAV. `words`: of the text so far, for pauses. */
export type PlayerSource = { url: string, convertedUrl: string, words(): WordIndex }

const readRate = (): number => RATES.find((rate) => String(rate) === localStorage.getItem(RATE_PLACE)) ?? 1

export function createPlayer ({ url, convertedUrl, words }: PlayerSource) {
  const audio = new Audio()
  audio.preload = 'metadata'
  let state: PlayerState = {
    isPlaying: false,
    rate: readRate(),
    volume: 1,
    skipsPauses: localStorage.getItem(SKIP_PLACE) === 'true',
    fault: undefined,
    isConverted: false
  }
  const listeners = new Set<() => void>()
  const clocks = new Set<(seconds: number) => void>()
  let frame: number | undefined
  /** Counts openings and closings, so that a late reply to an earlier one is not used. */
  let opening = 0

  function change (next: Partial<PlayerState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }

  function tellTime (): void {
    for (const clock of clocks) clock(audio.currentTime)
  }

  function everyFrame (): void {
    frame = requestAnimationFrame(everyFrame)
    const end = state.skipsPauses ? findPauseEnd(words(), audio.currentTime, LEAST_PAUSE) : undefined
    if (end !== undefined && !audio.seeking) audio.currentTime = end - LEAD
    tellTime()
  }

  function stopFrames (): void {
    if (frame !== undefined) cancelAnimationFrame(frame)
    frame = undefined
  }

  function open (source: string, at = 0): void {
    audio.src = source
    audio.defaultPlaybackRate = state.rate
    audio.playbackRate = state.rate
    if (at > 0) audio.currentTime = at
  }

  /** Begins again with WAV, at the same place. False: that is what has failed. */
  function convert (): boolean {
    if (state.isConverted) return false
    const { currentTime } = audio
    const wasPlaying = state.isPlaying
    change({ isConverted: true })
    open(convertedUrl, currentTime)
    if (wasPlaying) start()
    return true
  }

  function start (): void {
    // Playing is refused when another source takes its place or the browser asks for a click first; neither is a fault.
    audio.play().catch(() => { change({ isPlaying: false }) })
  }

  audio.addEventListener('play', () => {
    change({ isPlaying: true })
    if (frame === undefined) everyFrame()
  })
  audio.addEventListener('pause', () => {
    stopFrames()
    change({ isPlaying: false })
    tellTime()
  })
  for (const event of ['seeking', 'timeupdate', 'loadedmetadata'] as const) audio.addEventListener(event, tellTime)
  audio.addEventListener('error', () => {
    const isNetwork = audio.error?.code === MediaError.MEDIA_ERR_NETWORK
    if (!audio.hasAttribute('src') || (!isNetwork && convert())) return
    stopFrames()
    change({ fault: 'failed', isPlaying: false })
  })

  /** Asks what kind of file it is, so that a browser that cannot play it need not try. */
  async function begin (): Promise<void> {
    const mine = ++opening
    const reply = await fetch(url, { headers: { range: 'bytes=0-0' }, credentials: 'same-origin' })
    if (mine !== opening) return
    if (reply.status === 410 || reply.status === 404) {
      change({ fault: 'gone' })
      return
    }
    const isPlayable = audio.canPlayType(reply.headers.get('content-type') ?? '') !== ''
    change({ isConverted: !isPlayable })
    open(isPlayable ? url : convertedUrl, audio.currentTime)
  }

  return {
    audio,
    read: (): PlayerState => state,
    subscribe (listener: () => void): () => void {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    /** `clock` is told the time in seconds, at every frame while the recording plays. */
    onTime (clock: (seconds: number) => void): () => void {
      clocks.add(clock)
      return () => { clocks.delete(clock) }
    },
    /** Opens the recording. Rejects if the appliance does not answer. */
    begin,
    time: (): number => audio.currentTime,
    seek (seconds: number): void {
      audio.currentTime = Math.max(0, Number.isFinite(audio.duration) ? Math.min(seconds, audio.duration) : seconds)
      tellTime()
    },
    skip (seconds: number): void { this.seek(audio.currentTime + seconds) },
    play: start,
    playFrom (seconds: number): void {
      this.seek(seconds)
      start()
    },
    toggle (): void {
      if (audio.paused) start()
      else audio.pause()
    },
    setRate (rate: number): void {
      audio.defaultPlaybackRate = rate
      audio.playbackRate = rate
      localStorage.setItem(RATE_PLACE, String(rate))
      change({ rate })
    },
    /** One speed faster (1) or slower (-1). */
    stepRate (step: 1 | -1): void {
      const next = RATES[RATES.findIndex((rate) => rate === state.rate) + step]
      if (next !== undefined) this.setRate(next)
    },
    setVolume (volume: number): void {
      audio.volume = volume
      change({ volume })
    },
    setSkipsPauses (skipsPauses: boolean): void {
      localStorage.setItem(SKIP_PLACE, String(skipsPauses))
      change({ skipsPauses })
    },
    close (): void {
      opening++
      stopFrames()
      audio.pause()
      // Ends the transfer.
      audio.removeAttribute('src')
      audio.load()
    }
  }
}
export type Player = ReturnType<typeof createPlayer>
