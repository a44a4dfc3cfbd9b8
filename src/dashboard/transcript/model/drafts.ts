/** Texts that were typed and are not saved yet. They outlive a navigation, a sign-in and a restart of the appliance. */

/** `seen`: the text that the person began with, which `base` is the revision of. */
export type Draft = { text: string, base: number, seen: string }

/** What drafts need of a Storage. */
export type DraftPlace = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key'> & { readonly length: number }

function parse (json: string | null): Draft | undefined {
  try {
    const { text, base, seen } = JSON.parse(json ?? 'null') as Record<string, unknown>
    if (typeof text === 'string' && typeof base === 'number' && typeof seen === 'string') return { text, base, seen }
  } catch (error) {
    // Not ours, or cut off: the same as none.
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error
  }
  return undefined
}

/** `account`: whose drafts they are. Another person who signs in in this tab does not see them. `place` is the tab's sessionStorage. */
export function createDrafts (place: DraftPlace, account: number | string, transcription: number) {
  const prefix = `stenobox.draft.${account}.${transcription}.`
  /** What the browser refused to store, because its storage is full or blocked: it lasts as long as the page. */
  const held = new Map<string, Draft>()

  return {
    read: (segment: string): Draft | undefined => held.get(segment) ?? parse(place.getItem(prefix + segment)),
    write (segment: string, draft: Draft): void {
      try {
        place.setItem(prefix + segment, JSON.stringify(draft))
        held.delete(segment)
      } catch {
        held.set(segment, draft)
      }
    },
    drop (segment: string): void {
      held.delete(segment)
      place.removeItem(prefix + segment)
    },
    /** The segments with a draft. */
    list (): string[] {
      const keys = Array.from({ length: place.length }, (_, index) => place.key(index) ?? '')
      const stored = keys.filter((key) => key.startsWith(prefix) && parse(place.getItem(key)))
      return [...new Set([...stored.map((key) => key.slice(prefix.length)), ...held.keys()])]
    }
  }
}
export type Drafts = ReturnType<typeof createDrafts>
