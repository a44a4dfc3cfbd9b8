/** What the appliance makes of a transcript, beside it: each is asked for when it is opened. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useTexts } from '../../i18n/index.tsx'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { useCopy } from '../../ui/copy.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Message } from '../../ui/Message.tsx'
import { inBackground } from '../../ui/Notices.tsx'
import { artifactQuery } from '../model/calls.ts'
import type { Artifact, Mode } from '../model/calls.ts'
import { toClock } from '../../recordings/clock.ts'
import { useSpeakerText } from '../../recordings/speaker-text.ts'
import styles from './Panels.module.css'

export const PANELS = ['summary', 'chapters', 'quotes', 'posts'] as const
export type Panel = typeof PANELS[number]
const POSTS = ['show-notes', 'thread', 'blog'] as const

type OnPlay = (seconds: number) => void
type Shown = { artifact: Artifact, onPlay: OnPlay }

function Chapters ({ artifact, onPlay }: Shown) {
  return (
    <ol className={styles['chapters']}>
      {artifact.chapters?.map(({ title, startSeconds }) => (
        <li key={startSeconds}>
          <button type='button' onClick={() => { onPlay(startSeconds) }}>
            <span className={styles['clock']}>{toClock(startSeconds)}</span> <span dir='auto'>{title}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}

function Quotes ({ artifact, onPlay }: Shown) {
  const { t } = useTexts()
  const speakerText = useSpeakerText()
  return (
    <ul className={styles['quotes']}>
      {artifact.quotes?.map(({ text, startSeconds, speaker }) => (
        <li key={startSeconds}>
          <blockquote dir='auto'>{text}</blockquote>
          <div className={styles['source']}>
            <Button
              kind='quiet' onPress={() => { onPlay(startSeconds) }}
              aria-label={t('transcript.playQuote', { time: toClock(startSeconds) })}
            ><Icon name='play' />{toClock(startSeconds)}
            </Button>
            {speaker !== undefined && <span dir='auto'>{speakerText(speaker)}</span>}
          </div>
        </li>
      ))}
    </ul>
  )
}

function Content ({ artifact, onPlay }: Shown) {
  if (artifact.mode === 'chapters') return <Chapters artifact={artifact} onPlay={onPlay} />
  if (artifact.mode === 'quotes') return <Quotes artifact={artifact} onPlay={onPlay} />
  const paragraphs = artifact.content.split(/\n{2,}/)
  return <div className={styles['prose']}>{paragraphs.map((text, index) => <p key={index} dir='auto'>{text}</p>)}</div>
}

function ArtifactView ({ id, mode, onPlay }: { id: number, mode: Mode, onPlay: OnPlay }) {
  const { t } = useTexts()
  const { data, error, refetch } = useQuery(artifactQuery(id, mode))
  const copy = useCopy()
  if (error) {
    return (
      <Message title={t('transcript.artifactFailed')} detail={error.message}>
        <Button onPress={() => { inBackground(refetch()) }}>{t('app.retry')}</Button>
      </Message>
    )
  }
  if (!data) return <div className={styles['waiting']} role='status'><span>{t('transcript.artifactWaiting')}</span><i /><i /><i /></div>
  if (data.content === '') return <p className={styles['quiet']}>{t('transcript.artifactEmpty')}</p>
  return (
    <>
      <Content artifact={data} onPlay={onPlay} />
      <Button onPress={() => { inBackground(copy(data.content)) }}><Icon name='copy' />{t('transcript.copyMarkdown')}</Button>
    </>
  )
}

function Posts ({ id, onPlay }: { id: number, onPlay: OnPlay }) {
  const { t } = useTexts()
  const [mode, setMode] = useState<typeof POSTS[number]>('show-notes')
  return (
    <>
      <Choice
        label={t('transcript.postKind')} value={mode} onChange={(value) => { setMode(value) }}
        options={POSTS.map((value) => ({ value, text: t(`transcript.post.${value}`) }))}
      />
      <ArtifactView id={id} mode={mode} onPlay={onPlay} />
    </>
  )
}

type Props = {
  id: number
  /** Plays from a time in seconds. */
  onPlay: OnPlay
  /** `text`: only where the panels take the place of the text. */
  selected: Panel | 'text'
  onSelect (panel: Panel | 'text'): void
  /** Phones show the text as one of the tabs. Rendered while its tab is selected. */
  text?: React.ReactNode
}

export function Panels ({ id, onPlay, selected, onSelect, text }: Props) {
  const { t } = useTexts()
  const tabs = text === undefined ? PANELS : ['text', ...PANELS] as const
  return (
    <Tabs selectedKey={selected} onSelectionChange={(key) => { onSelect(key as Panel) }} className={styles['panels'] ?? ''}>
      <TabList aria-label={t('transcript.panels')} className={styles['tabs'] ?? ''}>
        {tabs.map((tab) => <Tab key={tab} id={tab} className={styles['tab'] ?? ''}>{t(`transcript.panel.${tab}`)}</Tab>)}
      </TabList>
      {text !== undefined && <TabPanel id='text' className={styles['plain'] ?? ''}>{text}</TabPanel>}
      {PANELS.map((panel) => (
        <TabPanel key={panel} id={panel} className={styles['panel'] ?? ''}>
          {panel === 'posts' ? <Posts id={id} onPlay={onPlay} /> : <ArtifactView id={id} mode={panel} onPlay={onPlay} />}
        </TabPanel>
      ))}
    </Tabs>
  )
}
