/**
 * Backups of a data directory: a directory with `backup.json`, a copy of the database and the files that the copy refers to. The list is
 * replaced last and at once, so it always describes a whole backup; recordings never change, so each is copied once.
 */
import BetterSqlite3 from 'better-sqlite3'
import { createHash, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readChunks, syncDirectory, writeAll } from '../disk/files.js'
import { parseBackupList } from '../domain/backup.js'
import type { BackupFile, BackupList } from '../domain/backup.js'
import { errorCode } from '../domain/errors.js'
import type { Database } from './database.js'
import { schemaVersion } from './migrate.js'
import { pathInside } from './paths.js'
import { tryLock } from './work-lock.js'

export const LIST = 'backup.json'
/** Beside it, a backup that was killed leaves the journal of the lock. */
const LOCK = 'backup.lock'
/** What a backup consists of besides its list. */
const PLACES = ['database', 'media', 'uploads']
export const STAGING = 'restore.tmp'
/** How often the database is copied again because a file was deleted before it was copied. */
export const MAX_SNAPSHOTS = 10
/** More pages than any database has: all in one step, which is one read transaction. Writers go on meanwhile. */
export const ALL_PAGES = 0x7fffffff

/** Absolute paths. `nowMs`: the time of the backup. */
type Options = { dataDir: string, directory: string, nowMs: number }
export type BackupSummary = { files: number, copied: number, sizeBytes: number }

export const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT'

/** Copies a file under a temporary name, syncs and renames it. Returns its size and digest. Nothing is left when it fails. */
async function copyWhole (from: string, to: string): Promise<{ sizeBytes: number, sha256: string }> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const temporary = join(dirname(to), `${process.pid}-${randomUUID()}.tmp`)
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      for await (const chunk of readChunks(from)) {
        sizeBytes += chunk.length
        hash.update(chunk)
        await writeAll(handle, chunk)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, to)
    await syncDirectory(dirname(to))
    return { sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** The files that a database refers to, by its own digests. Throws an Error when the database is damaged. */
export function listFiles (databasePath: string): { schemaVersion: number, files: BackupFile[] } {
  const db = new BetterSqlite3(databasePath)
  try {
    const finding = db.pragma('integrity_check', { simple: true })
    if (finding !== 'ok') throw new Error(`the copy of the database is damaged: ${String(finding)}`)
    const files = db.prepare<[], BackupFile>(`
      SELECT 'media/' || file AS path, size_bytes AS sizeBytes, sha256
      FROM media
      WHERE state = 'stored'
      UNION ALL
      SELECT 'uploads/' || u.id || '/' || p.part_number || '-' || p.sha256 || '.part', p.size_bytes, p.sha256
      FROM upload_part p JOIN upload u ON u.id = p.upload_id
      WHERE u.job_id IS NULL
      ORDER BY path
    `).all()
    return { schemaVersion: Number(db.pragma('user_version', { simple: true })), files }
  } finally {
    db.close()
  }
}

export const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

async function sizeOf (path: string): Promise<number | undefined> {
  return await stat(path).then(({ size }) => size, (error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
}

/** Copies what the backup does not have. Returns the number of copied files. Throws an Error when a file is not what the database says. */
async function copyNew (dataDir: string, directory: string, files: readonly BackupFile[]): Promise<number> {
  let copied = 0
  for (const { path, sizeBytes, sha256 } of files) {
    const to = pathInside(directory, path)
    if (await sizeOf(to) === sizeBytes) continue
    const found = await copyWhole(pathInside(dataDir, path), to)
    copied++
    if (found.sha256 === sha256) continue
    await rm(to)
    throw new Error(`${pathInside(dataDir, path)} is damaged: it does not have the SHA-256 that the database says. No backup was made`)
  }
  return copied
}

/** Removes what the list does not name: earlier copies of the database, deleted recordings, what a crash left. */
async function prune (directory: string, { database, files }: BackupList): Promise<void> {
  const wanted = new Set([database, ...files].map(({ path }) => path))
  for (const place of PLACES) {
    const entries = await readdir(join(directory, place), { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile() && !wanted.has(path.slice(directory.length + 1))) await rm(path)
    }
  }
}

async function readList (directory: string): Promise<BackupList> {
  const path = join(directory, LIST)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw isMissing(error) ? new Error(`${directory} is not a backup: it has no ${LIST}`) : error
  })
  const list = parseBackupList(text)
  if (!list) throw new Error(`the backup is damaged: ${path} cannot be read as the list of a backup`)
  return list
}

async function writeList (directory: string, list: BackupList): Promise<void> {
  const temporary = join(directory, `${process.pid}-${randomUUID()}.tmp`)
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await writeAll(handle, Buffer.from(JSON.stringify(list, null, 1) + '\n'))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, join(directory, LIST))
  await syncDirectory(directory)
}

/** Refuses a directory with other things in it. */
async function requireBackupDirectory (directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => !name.endsWith('.tmp'))
  if (!names.includes(LIST) && names.some((name) => !PLACES.includes(name) && !name.startsWith(LOCK))) {
    throw new Error(`${directory} is neither empty nor a backup; choose another directory`)
  }
}

/**
 * Brings the backup in `directory` up to date with the data directory, while jobs run. An earlier backup there stays whole until the new
 * one is. Throws an Error that says what to do.
 */
export async function backUp (db: Database, options: Options): Promise<BackupSummary> {
  const { dataDir, directory } = options
  if (`${directory}/`.startsWith(`${dataDir}/`)) throw new Error(`${directory} is inside the data directory; choose another directory`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await requireBackupDirectory(directory)
  const lock = tryLock(join(directory, LOCK))
  if (!lock) throw new Error(`another backup into ${directory} is running; wait until it is done`)
  try {
    return await update(db, options)
  } finally {
    lock.release()
  }
}

async function update (db: Database, { dataDir, directory, nowMs }: Options): Promise<BackupSummary> {
  await mkdir(join(directory, 'database'), { recursive: true, mode: 0o700 })
  let copied = 0
  for (let snapshots = 1; ; snapshots++) {
    const path = `database/${nowMs}-${randomUUID()}.db`
    const copy = join(directory, path)
    await db.backup(copy, { progress: () => ALL_PAGES })
    try {
      const { schemaVersion, files } = listFiles(copy)
      copied += await copyNew(dataDir, directory, files)
      const list: BackupList = {
        format: 1, createdAt: new Date(nowMs).toISOString(), schemaVersion, database: { path, ...await digestOf(copy) }, files
      }
      await writeList(directory, list)
      await prune(directory, list)
      return { files: files.length, copied, sizeBytes: [list.database, ...files].reduce((sum, file) => sum + file.sizeBytes, 0) }
    } catch (error) {
      // A recording was deleted after the database was copied: copy the database again, which no longer has it.
      if (!isMissing(error) || snapshots === MAX_SNAPSHOTS) throw error
      await rm(copy, { force: true })
    }
  }
}

async function digestOf (path: string): Promise<{ sizeBytes: number, sha256: string }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of readChunks(path)) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** Copies a file of a backup. Throws an Error that names the file when it is missing or damaged. */
async function restoreFile (directory: string, { path, sizeBytes, sha256 }: BackupFile, to: string): Promise<void> {
  const fail = (what: string): Error => new Error(`the backup is damaged: ${path} ${what}. Nothing was restored`)
  const found = await copyWhole(pathInside(directory, path), to).catch((error: unknown) => {
    throw isMissing(error) ? fail('is missing') : error
  })
  if (found.sizeBytes !== sizeBytes || found.sha256 !== sha256) throw fail('has changed since the backup was made')
}

/** Refuses a data directory that is not empty. Removes what an interrupted restore has left. */
export async function prepareTarget (dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const names = await readdir(dataDir)
  if (names.includes(STAGING) && !names.includes('app.db')) {
    // The directory was empty when that restore began, and no server starts on recordings without a database.
    for (const name of ['media', 'uploads', STAGING]) await rm(join(dataDir, name), { recursive: true, force: true })
    return await prepareTarget(dataDir)
  }
  if (names.length > 0) throw new Error(`the data directory ${dataDir} is not empty; restore into an empty one (STENOBOX_DATA_DIR)`)
}

/** Throws an Error when the backup was made by a newer version. */
export function requireKnownVersion (list: BackupList): void {
  if (list.schemaVersion > schemaVersion()) {
    throw new Error('the backup was made by a newer version of Stenobox; restore it with that version')
  }
}

/** Checks the restored database, and moves everything to its place. */
export async function installStaged (staging: string, dataDir: string): Promise<void> {
  listFiles(join(staging, 'app.db'))
  // The database is last: no server starts on recordings without a database.
  for (const name of ['media', 'uploads', 'app.db']) await rename(join(staging, name), join(dataDir, name))
  await syncDirectory(dataDir)
}

/**
 * Restores a backup into an empty data directory, and checks every file. Throws an Error that names the file that is missing or damaged;
 * then the data directory is empty again.
 */
export async function restore ({ directory, dataDir }: { directory: string, dataDir: string }): Promise<BackupSummary> {
  const list = await readList(directory)
  requireKnownVersion(list)
  await prepareTarget(dataDir)
  const staging = join(dataDir, STAGING)
  try {
    for (const place of ['media', 'uploads']) await mkdir(join(staging, place), { recursive: true, mode: 0o700 })
    for (const file of list.files) await restoreFile(directory, file, pathInside(staging, file.path))
    await restoreFile(directory, list.database, join(staging, 'app.db'))
    await installStaged(staging, dataDir)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  return { files: list.files.length, copied: list.files.length, sizeBytes: list.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
}
