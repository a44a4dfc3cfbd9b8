/** The player and the marked word of a page that shows one transcript. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useConnection } from '../../recordings/events.ts'
import { inBackground } from '../../ui/Notices.tsx'
import type { Segments } from '../model/segments.ts'
import { createFollower } from './follow.ts'
import type { Follower } from './follow.ts'
import { usePlayerKeys } from './keys.ts'
import { createPlayer } from './player.ts'
import type { Player, PlayerState } from './player.ts'

/** Everything that plays and follows. `audioUrl`: where the recording is; `?as=wav` is added for browsers that cannot play it. */
export type Playback = { player: Player, follower: Follower }

/** One for as long as the page is open. The audio is fetched when the page has drawn its text. */
export function usePlayback (segments: Segments, audioUrl: string): Playback {
  const [playback] = useState((): Playback => {
    const player = createPlayer({ url: audioUrl, convertedUrl: `${audioUrl}?as=wav`, words: segments.words })
    return { player, follower: createFollower(segments) }
  })
  const { player, follower } = playback
  useEffect(() => {
    inBackground(player.begin())
    return () => { player.close() }
  }, [player])
  // The appliance answers again.
  const connection = useConnection()
  useEffect(() => {
    if (connection === 'live' && player.read().fault === 'unavailable') inBackground(player.begin())
  }, [connection, player])
  useEffect(() => {
    let isLoading = false
    function follow (): void {
      // What could not be loaded is shown by the list, with a button.
      if (follower.show(player.time()) || isLoading || segments.read().fault !== undefined) return
      isLoading = true
      segments.ensureTime(player.time()).catch(() => undefined).finally(() => {
        isLoading = false
        follow()
      })
    }
    // Words that have just been loaded may be the ones that are spoken.
    const stops = [player.onTime(follow), segments.subscribe(follow)]
    return () => { for (const stop of stops) stop() }
  }, [segments, player, follower])
  usePlayerKeys(player)
  return playback
}

export const usePlayerState = (player: Player): PlayerState => useSyncExternalStore(player.subscribe, player.read)

export const useSegments = (segments: Segments) => useSyncExternalStore(segments.subscribe, segments.read)
