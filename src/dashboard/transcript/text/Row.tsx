/** One segment: who says it, when, and its words. Rendered only when something of it changes. */
import { Fragment, memo, useEffect, useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { useTexts } from '../../i18n/index.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { toClock, toSpokenTime } from '../../recordings/clock.ts'
import { useSpeakerText } from '../../recordings/speaker-text.ts'
import { foundWords } from '../model/find-words.ts'
import type { Matcher } from '../model/find-words.ts'
import type { Segment } from '../model/segment.ts'
import type { Follower } from '../player/follow.ts'
import { SegmentEditor } from './SegmentEditor.tsx'
import styles from './Text.module.css'
import type { Edits } from './use-edits.ts'

/** Words below it are shown as doubtful. */
const DOUBTFUL = 0.5

export type RowProps = {
  segment: Segment
  index: number
  /** The speaker is named where another one begins. */
  showsSpeaker: boolean
  /** Its controls are reached with Tab; those of the other rows are not, or Tab would never leave the text. */
  isActive: boolean
  isEditing: boolean
  showsDoubt: boolean
  match: Matcher | undefined
  language: string | undefined
  follower: Follower
  edits: Edits | undefined
  /** Undefined: speakers cannot be changed. */
  onSpeaker: ((label: string) => void) | undefined
}

const NONE: ReadonlySet<number> = new Set()

function Words ({ segment, match, showsDoubt }: Pick<RowProps, 'segment' | 'match' | 'showsDoubt'>) {
  const { t, language } = useTexts()
  const found = match ? foundWords(segment.words, match) : NONE
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  return segment.words.map(({ word, probability, edited }, index) => {
    const text = word.trimStart()
    const isDoubtful = showsDoubt && edited !== true && probability < DOUBTFUL
    const names = [found.has(index) ? styles['found'] : '', isDoubtful ? styles['doubtful'] : ''].filter(Boolean).join(' ')
    return (
      // Words have no name but their place; a segment whose words change is rendered whole.
      <Fragment key={index}>
        {word.slice(0, word.length - text.length)}
        <span
          data-word={index} className={names || undefined}
          title={isDoubtful ? t('transcript.certainty', { percent: percent.format(probability) }) : undefined}
        >{text}
        </span>
      </Fragment>
    )
  })
}

/** When the editor closes, the focus goes to the text that it held. */
function useFocusAfterEdit (row: RefObject<HTMLElement | null>, isEditing: boolean): void {
  const wasEditing = useRef(isEditing)
  useEffect(() => {
    const hasClosed = wasEditing.current && !isEditing
    wasEditing.current = isEditing
    // The focus is nowhere once the element that had it is gone.
    if (!hasClosed || document.activeElement !== document.body) return
    row.current?.querySelector<HTMLElement>('[data-words]')?.focus({ preventScroll: true })
  }, [row, isEditing])
}

export const Row = memo(function Row (props: RowProps) {
  const { segment, index, showsSpeaker, isActive, isEditing, follower, edits, onSpeaker } = props
  const { t, language } = useTexts()
  const speakerText = useSpeakerText()
  const row = useRef<HTMLDivElement>(null)
  // After every rendering: the words may be other elements than before.
  useLayoutEffect(() => row.current ? follower.mount(index, row.current) : undefined)
  useFocusAfterEdit(row, isEditing)
  const tabIndex = isActive ? 0 : -1
  const { speaker, speakerLabel } = segment
  return (
    <div ref={row} className={styles['row']}>
      {showsSpeaker && speaker !== undefined && (
        <div className={styles['speaker']}>
          {onSpeaker && speakerLabel !== undefined
            ? (
              <button
                type='button' tabIndex={tabIndex} dir='auto' title={t('transcript.changeSpeaker')}
                onClick={() => { onSpeaker(speakerLabel) }}
              >{speakerText(speaker)}
              </button>
              )
            : <span dir='auto'>{speakerText(speaker)}</span>}
        </div>
      )}
      <button
        type='button' tabIndex={tabIndex} className={styles['time']} data-play={segment.start}
        aria-label={t('transcript.playFrom', { time: toClock(segment.start) })}
      >{toClock(segment.start)}
      </button>
      {isEditing && edits
        ? <SegmentEditor segment={segment} edits={edits} language={props.language} />
        : (
          <p className={styles['words']} dir='auto' lang={props.language} data-words={index} tabIndex={tabIndex}>
            {segment.words.length === 0 ? <i className={styles['empty']}>{t('transcript.emptySegment')}</i> : <Words {...props} />}
          </p>
          )}
      {edits && !isEditing && (
        <button
          type='button' tabIndex={tabIndex} className={`${styles['edit']} ${segment.edited ? styles['edited'] : ''}`} data-edit
          aria-label={t(segment.edited ? 'transcript.editAgainFrom' : 'transcript.editFrom', {
            time: toSpokenTime(segment.start, language)
          })}
        ><Icon name='edit' />
        </button>
      )}
    </div>
  )
})
