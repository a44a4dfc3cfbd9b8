/** The text of a transcript: words that are followed as they are spoken, and edited where they stand. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Message } from '../../ui/Message.tsx'
import type { Matcher } from '../model/find-words.ts'
import type { Segments } from '../model/segments.ts'
import type { Playback } from '../player/use-player.ts'
import { usePlayerState } from '../player/use-player.ts'
import { Row } from './Row.tsx'
import styles from './Text.module.css'
import { useFollowing } from './use-following.ts'
import { useRows } from './use-rows.ts'
import { useEditsState } from './use-edits.ts'
import type { Edits, EditsState } from './use-edits.ts'
import { useWordKeys } from './use-word-keys.ts'

/** A place to scroll to. A new object asks again. `word` is not named: the row comes into view. */
export type Target = { segment: number }

type Props = {
  segments: Segments
  playback: Playback
  /** ISO 639-1 code of what is spoken, for speech output. */
  language: string | undefined
  target?: Target | undefined
  match?: Matcher | undefined
  showsDoubt?: boolean
  /** Undefined: the text can only be read. */
  edits?: Edits
  onSpeaker?: ((label: string) => void) | undefined
}

/** Always the same object: React compares what is read, and would render again and again. */
const NOTHING_OPEN: EditsState = { open: new Map(), conflict: undefined }
const NO_EDITS = { read: () => NOTHING_OPEN, subscribe: () => () => undefined } as unknown as Edits

/** Segments that are open for editing, as places. */
function useOpenPlaces (segments: Segments, edits: Edits | undefined): { ids: ReadonlySet<string>, places: readonly number[] } {
  const { open } = useEditsState(edits ?? NO_EDITS)
  const ids = [...open.keys()].join(' ')
  return useMemo(() => {
    const all = ids === '' ? [] : ids.split(' ')
    return { ids: new Set(all), places: all.flatMap((id) => segments.placeOf(id) ?? []) }
  }, [ids, segments])
}

function Fault ({ segments, onRetry }: { segments: Segments, onRetry (): void }) {
  const { t } = useTexts()
  const { fault } = segments.read()
  if (fault === undefined) return null
  return (
    <Message title={t('transcript.textFailed')} detail={fault instanceof Error ? fault.message : undefined}>
      <Button onPress={onRetry}>{t('app.retry')}</Button>
    </Message>
  )
}

export function TranscriptText (props: Props) {
  const { segments, playback, language, target, match, showsDoubt = false, edits, onSpeaker } = props
  const { t } = useTexts()
  const list = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  const open = useOpenPlaces(segments, edits)
  const kept = useMemo(() => [active, ...open.places], [active, open.places])
  const { rows, items, loaded, total, top, load } = useRows(segments, list, kept)
  const { isPlaying } = usePlayerState(playback.player)
  const { isFollowing, resume } = useFollowing(rows, playback)
  const handlers = useWordKeys({ list, segments, rows, player: playback.player, edits, setActive })

  useEffect(() => {
    if (!target) return
    rows.scrollToIndex(target.segment, { align: 'center' })
    setActive(target.segment)
  }, [rows, target])

  return (
    <div className={styles['text']}>
      <div
        ref={list} role='list' aria-label={t('transcript.text')} className={styles['list']} style={{ height: rows.getTotalSize() }}
        {...handlers}
      >
        {items.map(({ key, index, start, size }) => {
          const segment = loaded[index]
          return (
            <div
              key={key} ref={segment && rows.measureElement} data-index={index} role='listitem' aria-setsize={total}
              aria-posinset={index + 1} className={styles['place']}
              style={{ transform: `translateY(${start - top}px)`, height: segment ? undefined : size }}
            >
              {segment
                ? (
                  <Row
                    segment={segment} index={index} isActive={index === active} isEditing={open.ids.has(segment.id)}
                    showsSpeaker={segment.speaker !== loaded[index - 1]?.speaker} showsDoubt={showsDoubt} match={match} language={language}
                    follower={playback.follower} edits={edits} onSpeaker={onSpeaker}
                  />
                  )
                : <div className={styles['loading']} />}
            </div>
          )
        })}
      </div>
      <Fault segments={segments} onRetry={load} />
      {isPlaying && !isFollowing && (
        <div className={styles['back']}>
          <Button kind='primary' onPress={resume}><Icon name='play' />{t('transcript.backToSpoken')}</Button>
        </div>
      )}
    </div>
  )
}
