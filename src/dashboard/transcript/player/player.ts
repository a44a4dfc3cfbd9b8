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

/** `gone`: the recording was deleted. `unavailable`: it cannot be loaded now. `failed`: it cannot be played. */
export type PlayerFault = 'gone' | 'unavailable' | 'failed'
export type PlayerState = {
  isPlaying: boolean
  rate: number
  /** 0 to 1. */
  volume: number
  skipsPauses: boolean
  fault: PlayerFault | undefined
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
  /** Where the connection was lost last: a recording that breaks off at the same place again is not opened for ever. */
  let lostAt: number | undefined

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

  /** Begins again at the same place, with the recording as it is or as WAV. */
  function reopen (isConverted: boolean, isPlaying: boolean): void {
    const { currentTime } = audio
    change({ isConverted })
    open(isConverted ? convertedUrl : url, currentTime)
    if (isPlaying) start()
  }

  function start (): void {
    if (state.fault !== undefined) return
    // Playing is refused when another source takes its place or the browser asks for a click first; neither is a fault.
    audio.play().catch(() => { change({ isPlaying: false }) })
  }

  /** Asks for the first byte: what kind of file it is, or why there is none. */
  async function inquire (): Promise<{ fault: PlayerFault } | { fault: undefined, contentType: string }> {
    try {
      const reply = await fetch(url, { headers: { range: 'bytes=0-0' }, credentials: 'same-origin' })
      if (reply.status === 410 || reply.status === 404) return { fault: 'gone' }
      return reply.ok ? { fault: undefined, contentType: reply.headers.get('content-type') ?? '' } : { fault: 'unavailable' }
    } catch (error) {
      // Browsers report a missing connection as a TypeError.
      if (error instanceof TypeError) return { fault: 'unavailable' }
      throw error
    }
  }

  /** The browser gave up: opens the recording again where that may help, else says what is wrong. */
  async function recover (isNetwork: boolean): Promise<void> {
    const mine = ++opening
    // Read now: after a refusal to play, `isPlaying` becomes false.
    const wasPlaying = state.isPlaying
    const { fault } = await inquire()
    if (mine !== opening) return
    const isLostAgain = isNetwork && lostAt === audio.currentTime
    if (isNetwork) lostAt = audio.currentTime
    if (fault === undefined && isNetwork && !isLostAgain) reopen(state.isConverted, wasPlaying)
    else if (fault === undefined && !isNetwork && !state.isConverted) reopen(true, wasPlaying)
    else change({ fault: fault ?? 'failed', isPlaying: false })
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
    if (!audio.hasAttribute('src')) return
    stopFrames()
    recover(audio.error?.code === MediaError.MEDIA_ERR_NETWORK).catch(reportError)
  })

  /** Asks what kind of file it is first, so that a browser that cannot play it need not try. */
  async function begin (): Promise<void> {
    const mine = ++opening
    const reply = await inquire()
    if (mine !== opening) return
    if (reply.fault !== undefined) {
      change({ fault: reply.fault })
      return
    }
    const isPlayable = audio.canPlayType(reply.contentType) !== ''
    change({ isConverted: !isPlayable, fault: undefined })
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
    /** Opens the recording, or opens it again at the same place. */
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
