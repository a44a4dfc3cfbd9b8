/** Clears what deleted rows leave behind in the database file and its write-ahead log. */
import { closeSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { isBusy } from '../domain/errors.js'
import type { Database } from './database.js'
import { clearFreeSpace, MAX_PAGES } from './free-space.js'

/** Pages of one stretch: 4 MiB, a few ms during which nobody can write. */
const STRETCH_PAGES = 1024
/** Pages of the full-text index that are rewritten at once: a few ms. */
const MERGE_PAGES = 64

/** `busy`: another connection reads or writes; try again. Otherwise the page at which the next stretch begins; undefined at the end. */
export type Stretch = 'busy' | { next: number | undefined }

export function createErasure (db: Database) {
  const find = db.prepare<[], { requested: number, cleared: number }>('SELECT requested, cleared FROM erasure')
  const setCleared = db.prepare<{ cleared: number }>('UPDATE erasure SET cleared = :cleared')
  const note = db.prepare('UPDATE erasure SET version = version + 1')
  // A negative number of pages begins to merge everything, a positive one continues (https://www.sqlite.org/fts5.html, section 6.8).
  const merge = db.prepare<{ pages: number }>("INSERT INTO passage_terms (passage_terms, rank) VALUES ('merge', :pages)")
  const countChanges = db.prepare<[], number>('SELECT total_changes()').pluck()
  // Closed together with the database, never earlier: closing any descriptor of a file drops all locks that the process has on it,
  // SQLite's too (https://www.sqlite.org/howtocorrupt.html, section 2.2).
  let file: number | undefined

  /** Runs `work` without waiting for locks. Undefined when another connection has one. */
  function withoutWaiting<T> (work: () => T): T | undefined {
    const patience = Number(db.pragma('busy_timeout', { simple: true }))
    db.pragma('busy_timeout = 0')
    try {
      return work()
    } catch (error) {
      if (isBusy(error)) return undefined
      throw error
    } finally {
      db.pragma(`busy_timeout = ${patience}`)
    }
  }

  /** Moves the write-ahead log into the database and empties its file. False while another connection reads or writes. */
  function truncateLog (): boolean {
    const rows = withoutWaiting(() => db.pragma('wal_checkpoint(TRUNCATE)') as Array<{ busy: number }>)
    return rows?.[0]?.busy === 0
  }

  /** Zeroes unallocated space in the file. Only inside a write transaction, with an empty log: then no connection writes to the file. */
  function clearPages (first: number, count: number): void {
    const pageBytes = Number(db.pragma('page_size', { simple: true }))
    file ??= openSync(db.name, 'r+')
    const stretch = Buffer.alloc(count * pageBytes)
    const length = readSync(file, stretch, 0, stretch.length, (first - 1) * pageBytes)
    const header = Buffer.alloc(100)
    readSync(file, header, 0, 100, 0)
    let isChanged = false
    for (let offset = 0; offset + pageBytes <= length; offset += pageBytes) {
      const page = stretch.subarray(offset, offset + pageBytes)
      if (!clearFreeSpace(page, { isFirst: first === 1 && offset === 0, reservedBytes: header[20] ?? 0 })) continue
      writeSync(file, page, 0, pageBytes, (first - 1) * pageBytes + offset)
      isChanged = true
    }
    if (!isChanged) return
    fdatasyncSync(file)
    // This connection forgets its copies of the pages here; the others do when they see the commit.
    db.pragma('shrink_memory')
    note.run()
  }

  return {
    truncateLog,
    /** The number of the last deletion, if the file has not been cleared since. */
    findPending (): number | undefined {
      const { requested = 0, cleared = 0 } = find.get() ?? {}
      return requested > cleared ? requested : undefined
    },
    /** Records that everything up to this deletion has been cleared. */
    setCleared: (cleared: number): void => { setCleared.run({ cleared }) },
    /**
     * Rewrites the next part of the full-text index. It keeps the terms of deleted passages until then, which only marks them as deleted.
     * Waits for nobody.
     */
    mergeTerms (step: 'begin' | 'continue'): 'busy' | 'more' | 'done' {
      const changes = withoutWaiting(() => {
        const before = countChanges.get() ?? 0
        merge.run({ pages: step === 'begin' ? -MERGE_PAGES : MERGE_PAGES })
        return (countChanges.get() ?? 0) - before
      })
      if (changes === undefined) return 'busy'
      // The statement itself counts as one change.
      return changes > 1 ? 'more' : 'done'
    },
    /**
     * Clears the next stretch of the file, from page `first`. It blocks for some ms and waits for nobody. Throws an Error for files of more
     * than 128 GiB.
     */
    clear (first: number): Stretch {
      if (db.memory) return { next: undefined }
      if (!truncateLog()) return 'busy'
      const stretch = withoutWaiting(() => db.transaction((): Stretch => {
        // Another connection may have written between the checkpoint and this transaction.
        if (statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size) return 'busy'
        const pages = Number(db.pragma('page_count', { simple: true }))
        if (pages > MAX_PAGES) throw new Error('the database is too large to be cleared of deleted text')
        const count = Math.min(STRETCH_PAGES, pages - first + 1)
        if (count > 0) clearPages(first, count)
        return { next: first + count > pages ? undefined : first + count }
      }).immediate())
      return stretch ?? 'busy'
    },
    /** Closes the file. Call it after the database was closed. */
    close (): void {
      if (file !== undefined) closeSync(file)
      file = undefined
    }
  }
}
export type Erasure = ReturnType<typeof createErasure>
