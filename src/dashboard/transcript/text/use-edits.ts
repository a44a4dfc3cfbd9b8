/** Edits of segments: what is open, what was typed, what could not be saved and why. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../../api/client.ts'
import { saveSegment } from '../model/calls.ts'
import type { Draft, Drafts } from '../model/drafts.ts'
import type { Segment } from '../model/segment.ts'
import type { Segments } from '../model/segments.ts'

export type EditFault = { kind: 'session' | 'unreachable' | 'refused', message: string }
/** The segment was changed by somebody else since the person began. */
export type Conflict = { segment: Segment, draft: Draft }
/** What it began with stays, even when somebody else changes the segment meanwhile: that is how a conflict is noticed. */
type Edit = Draft & { isSaving: boolean, fault: EditFault | undefined }
export type EditsState = {
  /** By id of the segment. */
  open: ReadonlyMap<string, Edit>
  conflict: Conflict | undefined
}

type Deps = {
  id: number
  segments: Segments
  drafts: Drafts
  /** A segment was saved. */
  onSaved (): void
  /** A person left an edit and what was typed. `restore` brings it back. */
  onLeft (restore: () => void): void
}

/** Segments begin with a space for the text before them; people do not see it. */
export const shownText = ({ text }: Pick<Segment, 'text'>): string => text.trim()

/** An edit that begins now. */
const beginOf = (segment: Segment): Draft => ({ text: shownText(segment), base: segment.revision, seen: shownText(segment) })

function toFault (error: unknown): EditFault {
  if (!(error instanceof ApiError)) return { kind: 'refused', message: String(error) }
  if (error.status === 401) return { kind: 'session', message: error.message }
  return { kind: error.status === 0 ? 'unreachable' : 'refused', message: error.message }
}

/** The current segment in a refusal, if the refusal is a conflict. */
function currentOf (error: unknown): Segment | undefined {
  if (!(error instanceof ApiError) || error.code !== 'edit_conflict') return undefined
  return (error.body as { current?: Segment }).current
}

export function createEdits ({ id, segments, drafts, onSaved, onLeft }: Deps) {
  const edit = (draft: Draft): Edit => ({ ...draft, isSaving: false, fault: undefined })
  const restored = drafts.list().flatMap((segment) => {
    const draft = drafts.read(segment)
    return draft ? [[segment, edit(draft)] as const] : []
  })
  let state: EditsState = { open: new Map(restored), conflict: undefined }
  const listeners = new Set<() => void>()
  let focused: string | undefined

  function change (next: Partial<EditsState>): void {
    state = { ...state, ...next }
    for (const listener of listeners) listener()
  }

  function set (segment: string, next: Edit | undefined): void {
    const open = new Map(state.open)
    if (next) open.set(segment, next)
    else open.delete(segment)
    change({ open })
  }

  /** What was typed, and what it began with. */
  function draftOf (segment: Segment): Draft {
    const { text, base, seen } = state.open.get(segment.id) ?? beginOf(segment)
    return { text, base, seen }
  }

  function close (segment: string): void {
    drafts.drop(segment)
    change({ conflict: undefined })
    set(segment, undefined)
  }

  async function send (segment: string, draft: Draft): Promise<void> {
    set(segment, { ...draft, isSaving: true, fault: undefined })
    try {
      segments.put(await saveSegment(id, segment, { text: draft.text, base: draft.base }))
      close(segment)
      onSaved()
    } catch (error) {
      const current = currentOf(error)
      set(segment, { ...draft, isSaving: false, fault: current ? undefined : toFault(error) })
      if (current === undefined) return
      segments.putCurrent(current)
      change({ conflict: { segment: current, draft } })
    }
  }

  function write (segment: Segment, text: string): void {
    const draft = { ...draftOf(segment), text }
    if (text === draft.seen) drafts.drop(segment.id)
    else drafts.write(segment.id, draft)
    set(segment.id, edit(draft))
  }

  return {
    read: (): EditsState => state,
    subscribe (listener: () => void): () => void {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    /** Opens a segment for editing and moves the focus there. */
    start (segment: Segment): void {
      focused = segment.id
      if (!state.open.has(segment.id)) set(segment.id, edit(beginOf(segment)))
    },
    /** Whether the editor that has just appeared is the one that was asked for. True once. */
    takeFocus (segment: string): boolean {
      if (focused !== segment) return false
      focused = undefined
      return true
    },
    write,
    save (segment: Segment): void {
      const draft = draftOf(segment)
      if (state.open.get(segment.id)?.isSaving) return
      if (draft.text.trim() === draft.seen) close(segment.id)
      else send(segment.id, draft).catch(reportError)
    },
    /** Leaves an edit without saving. */
    leave (segment: Segment): void {
      const draft = drafts.read(segment.id)
      close(segment.id)
      if (!draft) return
      onLeft(() => {
        drafts.write(segment.id, draft)
        focused = segment.id
        set(segment.id, edit(draft))
      })
    },
    /** Ends a conflict with a text; undefined: with the text of the other person. */
    resolve ({ segment }: Conflict, text: string | undefined): void {
      if (text === undefined || text.trim() === shownText(segment)) {
        close(segment.id)
        return
      }
      const draft = { text, base: segment.revision, seen: shownText(segment) }
      drafts.write(segment.id, draft)
      change({ conflict: undefined })
      send(segment.id, draft).catch(reportError)
    },
    /** Goes back to the editor; the conflict comes up again when the text is saved. */
    postpone (): void { change({ conflict: undefined }) }
  }
}
export type Edits = ReturnType<typeof createEdits>

export const useEditsState = (edits: Edits): EditsState => useSyncExternalStore(edits.subscribe, edits.read)

export function useEditState (edits: Edits, segment: Segment): Edit {
  const edit = useSyncExternalStore(edits.subscribe, () => edits.read().open.get(segment.id))
  return edit ?? { ...beginOf(segment), isSaving: false, fault: undefined }
}

/** The edits of the page that shows a transcript. Before a tab with unsaved text is closed the browser asks: its drafts go with it. */
export function useEdits (create: () => Edits): Edits {
  const [edits] = useState(create)
  const { open } = useEditsState(edits)
  const isUnsaved = [...open.values()].some(({ isSaving, text, seen }) => isSaving || text.trim() !== seen)
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent): void => { event.preventDefault() }
    addEventListener('beforeunload', ask)
    return () => { removeEventListener('beforeunload', ask) }
  }, [isUnsaved])
  return edits
}
