/** Files out of a drop, a paste or a file dialog: folders are walked, and what cannot be a recording is left out. */
const ENDINGS = new Set([
  '3gp', 'aac', 'ac3', 'aif', 'aiff', 'amr', 'ape', 'avi', 'caf', 'flac', 'flv', 'm2ts', 'm4a', 'm4b', 'm4v', 'mka', 'mkv', 'mov', 'mp2',
  'mp3', 'mp4', 'mpeg', 'mpg', 'mts', 'oga', 'ogg', 'ogv', 'opus', 'ra', 'ts', 'voc', 'vob', 'wav', 'webm', 'wma', 'wmv', 'wv'
])

/** Whether a file may hold sound: by its type where the browser knows one, else by the ending of its name. */
export const isRecording = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  /^(audio|video)\//.test(type) || ENDINGS.has(name.split('.').at(-1)?.toLowerCase() ?? '')

/** Names of files that are left out, by why: neither audio nor video, without content, or not readable. */
export type LeftOut = Record<'other' | 'empty' | 'unreadable', readonly string[]>
export type Dropped = { files: readonly File[], leftOut: LeftOut }

/** Hidden files and folders belong to systems and programs, not to people. */
const isHidden = (name: string): boolean => name.startsWith('.')

type Found = { files: File[], unreadable: string[] }

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

async function readEntry (entry: FileSystemEntry, found: Found): Promise<readonly FileSystemEntry[]> {
  if (entry.isDirectory) return await readFolder(entry as FileSystemDirectoryEntry)
  found.files.push(await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject) }))
  return []
}

/** Collects the files of an entry. One that cannot be read, for example without permission, does not stop the others. */
async function walk (entry: FileSystemEntry, found: Found): Promise<void> {
  if (isHidden(entry.name)) return
  let children: readonly FileSystemEntry[] = []
  try {
    children = await readEntry(entry, found)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    found.unreadable.push(entry.name)
  }
  for (const child of children) await walk(child, found)
}

function sortOut ({ files, unreadable }: Found): Dropped {
  const namesOf = (some: readonly File[]): string[] => some.map(({ name }) => name)
  const recordings = files.filter(isRecording)
  return {
    files: recordings.filter(({ size }) => size > 0),
    leftOut: {
      other: namesOf(files.filter((file) => !isRecording(file))), empty: namesOf(recordings.filter(({ size }) => size === 0)), unreadable
    }
  }
}

/** The recordings of a drop or paste, folders included. Must be called in the event itself: afterwards the browser empties the list. */
export async function readDropped (transfer: DataTransfer): Promise<Dropped> {
  const entries = [...transfer.items].flatMap((item) => item.kind === 'file' ? [item.webkitGetAsEntry() ?? item.getAsFile()] : [])
  const found: Found = { files: [], unreadable: [] }
  for (const entry of entries) {
    if (entry instanceof File) found.files.push(entry)
    else if (entry) await walk(entry, found)
  }
  return sortOut(found)
}

/** Files of a folder that was chosen have their path, which begins with its name. */
const isInHidden = ({ webkitRelativePath }: File): boolean => webkitRelativePath.split('/').slice(1).some(isHidden)

/** The recordings of a file dialog. */
export const readChosen = (files: FileList): Dropped => sortOut({ files: [...files].filter((file) => !isInHidden(file)), unreadable: [] })

/** The first web address in a drop or paste; undefined: none. */
export function readAddress (transfer: DataTransfer): string | undefined {
  const text = transfer.getData('text/uri-list') || transfer.getData('text/plain')
  return text.split(/\s+/).find((word) => /^https?:\/\/[^\s/]+/i.test(word))
}
