/** Scrolls along with what is spoken, until the person scrolls. Then it scrolls again only when the person asks for it. */
import { useEffect, useState } from 'react'
import type { Playback } from '../player/use-player.ts'
import type { Rows } from './use-rows.ts'

/** Keys that scroll the page. */
const SCROLLING = new Set(['PageUp', 'PageDown', 'ArrowUp', 'ArrowDown', 'Home', 'End'])
/** The part of the window in which the spoken segment may be before the page scrolls. */
const ZONE = { from: 0.18, to: 0.72 }

export function useFollowing (rows: Rows, { player, follower }: Playback) {
  const [isFollowing, setFollowing] = useState(true)

  useEffect(() => {
    const leave = (): void => { setFollowing(false) }
    const leaveByKey = ({ key, defaultPrevented }: KeyboardEvent): void => {
      if (SCROLLING.has(key) && !defaultPrevented) leave()
    }
    addEventListener('wheel', leave, { passive: true })
    addEventListener('touchmove', leave, { passive: true })
    addEventListener('keydown', leaveByKey)
    return () => {
      removeEventListener('wheel', leave)
      removeEventListener('touchmove', leave)
      removeEventListener('keydown', leaveByKey)
    }
  }, [])

  useEffect(() => {
    const resume = (): void => { setFollowing(true) }
    player.audio.addEventListener('play', resume)
    return () => { player.audio.removeEventListener('play', resume) }
  }, [player])

  useEffect(() => {
    if (!isFollowing) return
    return follower.onSegment((segment) => {
      if (player.audio.paused) return
      const item = rows.measurementsCache[segment]
      if (!item) return
      const place = (item.start - scrollY) / innerHeight
      if (place < ZONE.from || place > ZONE.to) rows.scrollToIndex(segment, { align: 'center' })
    })
  }, [isFollowing, rows, player, follower])

  return {
    isFollowing,
    /** Back to what is spoken. */
    resume (): void {
      setFollowing(true)
      const spoken = follower.spoken()
      if (spoken) rows.scrollToIndex(spoken.segment, { align: 'center' })
    }
  }
}
