/** The file of the audit log. The server and commands append lines to it at the same time. */
import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'

/** Lines of a page, newest first. `next`: where the next page ends; undefined at the beginning of the file. */
export type AuditPage = { lines: string[], next: number | undefined }

const BLOCK_BYTES = 64 * 1024
const LINE_END = 0x0a

/** Reads the last `limit` lines before the offset `end`, or of the whole file. Undefined when the file is shorter than `end`. */
function readLinesBefore (descriptor: number, end: number | undefined, limit: number): AuditPage | undefined {
  const { size } = fstatSync(descriptor)
  if (end !== undefined && end > size) return undefined
  let start = end ?? size
  let bytes = Buffer.alloc(0)
  let starts: number[] = []
  // Backwards, until there is one line more than is wanted: that one may begin earlier.
  while (start > 0 && starts.length <= limit) {
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, start))
    start -= block.length
    readSync(descriptor, block, 0, block.length, start)
    bytes = Buffer.concat([block, bytes])
    starts = start === 0 ? [0] : []
    for (let at = bytes.indexOf(LINE_END); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(LINE_END, at + 1)) starts.push(at + 1)
  }
  const wanted = starts.slice(-limit)
  const [first = bytes.length] = wanted
  const text = bytes.subarray(first).toString('utf8')
  return { lines: text.split('\n').filter((line) => line !== '').reverse(), next: start + first > 0 ? start + first : undefined }
}

/** Opens the file and creates it where necessary. Throws the system's error. */
export function createAuditLog (path: string) {
  const openFile = (): number => openSync(path, 'a', 0o600)
  let file: number | undefined = openFile()

  /** logrotate renames or truncates the file. After a rename, the next line goes to a new file of the old name. */
  function isCurrent (descriptor: number): boolean {
    const [there, ours] = [statSync(path, { throwIfNoEntry: false }), fstatSync(descriptor)]
    return there !== undefined && there.ino === ours.ino && there.dev === ours.dev
  }

  function close (): void {
    if (file !== undefined) closeSync(file)
    file = undefined
  }

  return {
    /** Appends a line in one write, so lines of several processes do not mix. Throws the system's error. */
    append (line: string): void {
      if (file !== undefined && !isCurrent(file)) close()
      file ??= openFile()
      const bytes = Buffer.from(`${line}\n`)
      const written = writeSync(file, bytes)
      // On a full disk, part of a line may be written. End that part, so that the next line is separate.
      if (written < bytes.length) {
        writeSync(file, '\n')
        throw new Error('the line was written only in part')
      }
    },
    /** Lines before the offset `end`, newest first. Undefined when the file was renamed or truncated since. Throws the system's error. */
    readBefore (end: number | undefined, limit: number): AuditPage | undefined {
      // After a rename there may be no file yet.
      const reader = openSync(path, 'a+', 0o600)
      try {
        return readLinesBefore(reader, end, limit)
      } finally {
        closeSync(reader)
      }
    },
    close
  }
}
export type AuditLog = ReturnType<typeof createAuditLog>
