/** The text of a completed transcription with its player, tools and panels. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { BASE } from '../api/base.ts'
import { signInOptionsQuery, useAccount } from '../api/session.ts'
import { useTexts } from '../i18n/index.tsx'
import { onTranscriptChange, useConnection } from '../recordings/events.ts'
import { Button } from '../ui/Button.tsx'
import { notify, notifyOf } from '../ui/Notices.tsx'
import { artifactQuery, KEYS, loadSegments, peaksQuery, revisionsQuery, speakersQuery, undo } from './model/calls.ts'
import type { SpeakerState, Transcription } from './model/calls.ts'
import { createDrafts } from './model/drafts.ts'
import { searchMatcher } from './model/find-words.ts'
import type { Matcher } from './model/find-words.ts'
import { createSegments } from './model/segments.ts'
import type { Segments } from './model/segments.ts'
import styles from './Page.module.css'
import { Panels } from './panels/Panels.tsx'
import type { Panel } from './panels/Panels.tsx'
import { PlayerBar } from './player/PlayerBar.tsx'
import { usePlayback } from './player/use-player.ts'
import type { Player } from './player/player.ts'
import { MergeDialog } from './text/MergeDialog.tsx'
import { TranscriptText } from './text/TranscriptText.tsx'
import type { Target } from './text/TranscriptText.tsx'
import { createEdits, useEdits, useEditsState } from './text/use-edits.ts'
import type { Edits } from './text/use-edits.ts'
import { FindBar } from './tools/FindBar.tsx'
import { FindSpeakersDialog } from './tools/FindSpeakersDialog.tsx'
import { Revisions } from './tools/Revisions.tsx'
import { ShareDialog } from './tools/ShareDialog.tsx'
import { SpeakerDialog } from './tools/SpeakerDialog.tsx'
import { SpeakerProgress } from './tools/SpeakerProgress.tsx'
import { Toolbar } from './tools/Toolbar.tsx'
import { useNarrow } from './use-narrow.ts'
import { usePageKeys } from './use-page-keys.ts'

type Props = { transcription: Transcription, at: number | undefined, query: string | undefined }

/** Where to scroll: to the second of the address, or to a time or a segment that somebody asks for. */
function useTarget (segments: Segments, player: Player, at: number | undefined) {
  const [target, setTarget] = useState<Target>()
  const goToTime = useCallback((seconds: number): void => {
    // What cannot be loaded is shown by the list, with a button.
    segments.ensureTime(seconds).then((segment) => { setTarget({ segment }) }, () => undefined)
  }, [segments])
  useEffect(() => {
    if (at === undefined) {
      segments.ensureView(0, 1).catch(() => undefined)
      return
    }
    player.seek(at)
    goToTime(at)
  }, [segments, player, at, goToTime])
  const go = useCallback((segmentId: string): void => {
    segments.ensureId(segmentId).then((segment) => { setTarget({ segment }) }, notifyOf)
  }, [segments])
  const playFrom = useCallback((seconds: number): void => {
    player.playFrom(seconds)
    goToTime(seconds)
  }, [player, goToTime])
  return { target, go, goToTime, playFrom }
}

/** What changes the text as a whole, and what must be read again afterwards. */
function useChanges (id: number, segments: Segments) {
  const { t } = useTexts()
  const queries = useQueryClient()
  return useMemo(() => {
    function forget (): void {
      // What was made of the old text is no longer there.
      queries.removeQueries({ queryKey: KEYS.artifacts(id), type: 'inactive' })
      const keys = [KEYS.artifacts(id), KEYS.revisions(id), KEYS.previews(id)]
      for (const queryKey of keys) queries.invalidateQueries({ queryKey }).catch(notifyOf)
    }
    function reload (): void {
      forget()
      segments.reload().catch(notifyOf)
    }
    async function undoIt (revision?: number): Promise<void> {
      await undo(id, revision)
      reload()
      notify({ kind: 'done', text: t('transcript.undone') })
    }
    async function refreshIt (): Promise<void> {
      // Artifacts that were made change nothing else, and must not be asked for again because of that.
      if (await segments.refresh()) forget()
    }
    /** Somebody else, or another tab, has changed something. */
    function refresh (): void {
      for (const queryKey of [KEYS.speakers(id), KEYS.revisions(id)]) queries.invalidateQueries({ queryKey }).catch(notifyOf)
      refreshIt().catch(notifyOf)
    }
    return { forget, reload, refresh, undo: (revision?: number): void => { undoIt(revision).catch(notifyOf) } }
  }, [id, segments, queries, t])
}

/** Names are in the segments: new ones are read when the speakers have changed. */
function useReloadFor (speakers: SpeakerState | null | undefined, reload: () => void): void {
  const [known, setKnown] = useState(speakers)
  useEffect(() => {
    if (speakers === known) return
    setKnown(speakers)
    if (known) reload()
  }, [speakers, known, reload])
}

/** How often they are read while they are being told apart and there are no events. */
const POLL_MS = 2000

/** The speakers, while they are told apart as well. */
function useSpeakers (id: number): SpeakerState | null | undefined {
  const isLive = useConnection() === 'live'
  const { data } = useQuery({
    ...speakersQuery(id), refetchInterval: ({ state }) => state.data?.status === 'pending' && !isLive ? POLL_MS : false
  })
  return data
}

function Unsaved ({ edits, onGo }: { edits: Edits, onGo (segmentId: string): void }) {
  const { t } = useTexts()
  const [restored] = useState(() => [...edits.read().open.keys()])
  const { open } = useEditsState(edits)
  const left = restored.filter((segment) => open.has(segment))
  const [first] = left
  if (first === undefined) return null
  return (
    <div className={styles['unsaved']} role='status'>
      <span>{t('transcript.unsaved', { count: left.length })}</span>
      <Button onPress={() => { onGo(first) }}>{t('transcript.show')}</Button>
    </div>
  )
}

export function Transcript ({ transcription, at, query }: Props) {
  const { id, durationSeconds = 0, language } = transcription
  const { t } = useTexts()
  const queries = useQueryClient()
  const account = useAccount()
  const isNarrow = useNarrow()
  const [segments] = useState(() => createSegments(async (start, limit) => await loadSegments(id, start, limit)))
  const playback = usePlayback(segments, `${BASE}/api/v1/transcriptions/${id}/audio`)
  const { player } = playback
  const { target, go, goToTime, playFrom } = useTarget(segments, player, at)
  const changes = useChanges(id, segments)
  const edits = useEdits(() => createEdits({
    id,
    segments,
    drafts: createDrafts(sessionStorage, account?.id ?? '', id),
    onSaved: changes.forget,
    onLeft: (restore) => {
      notify({ kind: 'done', text: t('transcript.discarded'), action: { label: t('app.undo'), run: restore } })
    }
  }))
  const [match, setMatch] = useState<Matcher>()
  const changeMatch = useCallback((next: Matcher | undefined) => { setMatch(() => next) }, [])
  const [showsDoubt, setDoubt] = useState(false)
  const [isFinding, setFinding] = useState(false)
  const [dialog, setDialog] = useState<'history' | 'share' | 'speakers'>()
  const [speaker, setSpeaker] = useState<string>()
  const [panel, setPanel] = useState<Panel | 'text'>()
  const searched = useMemo(() => query === undefined ? undefined : searchMatcher(query), [query])

  const { data: peaks } = useQuery(peaksQuery(id))
  const speakers = useSpeakers(id)
  useReloadFor(speakers, changes.reload)
  useEffect(() => onTranscriptChange((changed = id) => { if (changed === id) changes.refresh() }), [id, changes])
  const { data: revisions } = useInfiniteQuery(revisionsQuery(id))
  const { data: options } = useQuery(signInOptionsQuery)
  const { data: chapters } = useQuery({ ...artifactQuery(id, 'chapters'), enabled: false })
  const marks = useMemo(() => chapters?.chapters?.map(({ title, startSeconds }) => ({ title, seconds: startSeconds })) ?? [], [chapters])
  const canUndo = revisions?.pages.some(({ data }) => data.length > 0) === true
  usePageKeys({ onFind: () => { setFinding(true) }, onUndo: canUndo ? changes.undo : undefined })

  const findAgain = (): void => {
    setSpeaker(undefined)
    setDialog('speakers')
  }
  function takeSpeakers (state: SpeakerState): void {
    queries.setQueryData(KEYS.speakers(id), state)
    queries.invalidateQueries({ queryKey: KEYS.transcription(id), exact: true }).catch(notifyOf)
    changes.forget()
  }
  const text = (
    <TranscriptText
      segments={segments} playback={playback} language={language} target={target} match={match ?? searched} showsDoubt={showsDoubt}
      edits={edits} onSpeaker={speakers?.status === 'done' ? setSpeaker : undefined}
    />
  )
  const panels = (
    <Panels
      id={id} onPlay={playFrom} text={isNarrow ? text : undefined} onSelect={setPanel}
      selected={isNarrow ? panel ?? 'text' : panel === 'text' || panel === undefined ? 'summary' : panel}
    />
  )

  return (
    <>
      <PlayerBar player={player} duration={durationSeconds} peaks={peaks ?? undefined} marks={marks} onSeek={goToTime} />
      <div className={styles['columns']}>
        <div className={styles['main']}>
          <Toolbar
            id={id} segments={segments} hasSpeakers={(speakers?.speakers.length ?? 0) > 0} showsDoubt={showsDoubt} onDoubt={setDoubt}
            isFinding={isFinding} onFind={() => { setFinding(!isFinding) }} onUndo={canUndo ? () => { changes.undo() } : undefined}
            onSpeakers={speakers && speakers.status !== 'pending' ? findAgain : undefined}
            onHistory={() => { setDialog('history') }} onShare={options?.sharing ? () => { setDialog('share') } : undefined}
          />
          {isFinding && (
            <FindBar
              id={id} onMatch={changeMatch} onGo={go} onReplaced={() => { changes.reload() }} onUndo={() => { changes.undo() }}
              onClose={() => { setFinding(false) }}
            />
          )}
          <SpeakerProgress state={speakers} onAgain={findAgain} />
          <Unsaved edits={edits} onGo={go} />
          {isNarrow ? panels : text}
        </div>
        {!isNarrow && <aside className={styles['aside']} aria-label={t('transcript.panels')}>{panels}</aside>}
      </div>
      <MergeDialog edits={edits} />
      <Revisions
        id={id} isOpen={dialog === 'history'} onClose={() => { setDialog(undefined) }}
        onUndo={(revision) => { changes.undo(revision) }}
      />
      <ShareDialog id={id} isOpen={dialog === 'share'} onClose={() => { setDialog(undefined) }} />
      <SpeakerDialog
        id={id} label={speaker} speakers={speakers?.speakers ?? []} onChanged={takeSpeakers} onAgain={findAgain}
        onClose={() => { setSpeaker(undefined) }}
      />
      <FindSpeakersDialog
        id={id} isOpen={dialog === 'speakers'} onBegun={(state) => { queries.setQueryData(KEYS.speakers(id), state) }}
        onClose={() => { setDialog(undefined) }}
      />
    </>
  )
}
