/** Files out of a drop, a paste or a file dialog: folders are walked, and what cannot be a recording is left out. */
const ENDINGS = new Set([
  '3gp', 'aac', 'ac3', 'aif', 'aiff', 'amr', 'ape', 'avi', 'caf', 'flac', 'flv', 'm2ts', 'm4a', 'm4b', 'm4v', 'mka', 'mkv', 'mov', 'mp2',
  'mp3', 'mp4', 'mpeg', 'mpg', 'mts', 'oga', 'ogg', 'ogv', 'opus', 'ra', 'ts', 'voc', 'vob', 'wav', 'webm', 'wma', 'wmv', 'wv'
])

/** Whether a file may hold sound: by its type where the browser knows one, else by the ending of its name. */
export const isRecording = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  /^(audio|video)\//.test(type) || ENDINGS.has(name.split('.').at(-1)?.toLowerCase() ?? '')

export type Dropped = { files: File[], leftOut: number }

/** Hidden files belong to systems and programs, not to people. */
const isHidden = (name: string): boolean => name.startsWith('.')

async function readFolder (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  // A call returns some of the entries; an empty list is the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject) })
    if (some.length === 0) return entries
    entries.push(...some)
  }
}

async function walk (entry: FileSystemEntry, found: File[]): Promise<void> {
  if (isHidden(entry.name)) return
  if (entry.isFile) {
    found.push(await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject) }))
    return
  }
  for (const child of await readFolder(entry as FileSystemDirectoryEntry)) await walk(child, found)
}

const sortOut = (files: readonly File[]): Dropped => {
  const recordings = files.filter((file) => isRecording(file) && file.size > 0)
  return { files: recordings, leftOut: files.length - recordings.length }
}

/** The recordings of a drop or paste, folders included. Must be called in the event itself: afterwards the browser empties the list. */
export async function readDropped (transfer: DataTransfer): Promise<Dropped> {
  const entries = [...transfer.items].flatMap((item) => item.kind === 'file' ? [item.webkitGetAsEntry() ?? item.getAsFile()] : [])
  const found: File[] = []
  for (const entry of entries) {
    if (entry instanceof File) found.push(entry)
    else if (entry) await walk(entry, found)
  }
  return sortOut(found)
}

export const readChosen = (files: FileList): Dropped => sortOut([...files])

/** The first web address in a drop or paste; undefined: none. */
export function readAddress (transfer: DataTransfer): string | undefined {
  const text = transfer.getData('text/uri-list') || transfer.getData('text/plain')
  return text.split(/\s+/).find((word) => /^https?:\/\/[^\s/]+/i.test(word))
}
