/**
 * Marks the word that is spoken. It changes an attribute of two words and renders nothing, so that following costs nothing even in the
 * longest text. The attribute is not known to React, which therefore leaves it alone.
 */
import { findWord } from '../model/word-index.ts'
import type { WordPlace } from '../model/word-index.ts'
import type { Segments } from '../model/segments.ts'

const MARK = 'data-spoken'

export function createFollower (segments: Pick<Segments, 'words'>) {
  const rows = new Map<number, HTMLElement>()
  const listeners = new Set<(segment: number) => void>()
  let spoken: WordPlace | undefined

  const wordAt = ({ segment, word }: WordPlace): Element | null | undefined => rows.get(segment)?.querySelector(`[data-word="${word}"]`)

  function mark (place: WordPlace | undefined): void {
    if (spoken?.segment === place?.segment && spoken?.word === place?.word) return
    if (spoken) {
      wordAt(spoken)?.removeAttribute(MARK)
      if (spoken.segment !== place?.segment) rows.get(spoken.segment)?.removeAttribute(MARK)
    }
    const isOther = spoken?.segment !== place?.segment
    spoken = place
    if (!place) return
    wordAt(place)?.setAttribute(MARK, '')
    if (!isOther) return
    rows.get(place.segment)?.setAttribute(MARK, '')
    for (const listener of listeners) listener(place.segment)
  }

  return {
    /** The word that is spoken, or was spoken last. */
    spoken: (): WordPlace | undefined => spoken,
    /** Marks what is spoken at a time in seconds. False: that is not loaded. */
    show (seconds: number): boolean {
      const word = findWord(segments.words(), seconds)
      mark(word === 'missing' ? undefined : word)
      return word !== 'missing'
    },
    /** The row of a segment is on the page; call the result when it is taken away. Call it again when its words were rendered again. */
    mount (segment: number, row: HTMLElement): () => void {
      rows.set(segment, row)
      for (const old of row.querySelectorAll(`[${MARK}]`)) old.removeAttribute(MARK)
      row.toggleAttribute(MARK, spoken?.segment === segment)
      if (spoken?.segment === segment) wordAt(spoken)?.setAttribute(MARK, '')
      return () => {
        if (rows.get(segment) === row) rows.delete(segment)
      }
    },
    /** Tells when another segment is spoken. */
    onSegment (listener: (segment: number) => void): () => void {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    }
  }
}
export type Follower = ReturnType<typeof createFollower>
