/** The file of the audit log. The server and commands append lines to it at the same time. */
import { closeSync, fstatSync, openSync, statSync, writeSync } from 'node:fs'

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
    close
  }
}
export type AuditLog = ReturnType<typeof createAuditLog>
