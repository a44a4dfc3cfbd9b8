/** Backups that are made while a server works, and what restoring them refuses. */
import Database from 'better-sqlite3'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { openDatabase } from '../../dist/store/database.js'
import { backUp as backUpHere, restore as restoreHere } from '../../dist/store/backups.js'
import { createClient } from '../support/client.ts'
import { AUDIO, CLI, NO_MODELS } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

/** Every row of every table, by table. */
function rowsOf (path: string): Record<string, unknown[]> {
  const db = new Database(path)
  try {
    const tables = db.prepare('SELECT name FROM sqlite_schema WHERE type = \'table\' ORDER BY name').pluck().all() as string[]
    return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()]))
  } finally {
    db.close()
  }
}

/** Digests of all files below these places, by path. */
const filesOf = (directory: string): Record<string, string> => Object.fromEntries(['media', 'uploads'].flatMap((place) =>
  readdirSync(`${directory}/${place}`, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => {
    const path = `${entry.parentPath}/${entry.name}`
    return [path.slice(directory.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')]
  })))

const root = t.testdir({ data: {}, full: {} })
const [data, full] = [`${root}/data`, `${root}/full`]
const backUp = async (directory: string) => await runCommand(data, ['backup', directory])
const restore = async (directory: string, into: string) => await runCommand(`${root}/${into}`, ['restore', directory])

/** The same in this process, while no server runs on the data directory. */
async function backUpNow (directory: string): Promise<void> {
  const db = openDatabase(data)
  try {
    await backUpHere(db, { dataDir: data, directory, nowMs: Date.now() })
  } finally {
    db.close()
  }
}

t.test('taken while jobs run, restored elsewhere: the same rows and files', async (t) => {
  const server = await startServer(data)
  const key = server.firstKey ?? ''
  const client = createClient(server.address, key)
  const recording = readFileSync(`${AUDIO}dialogue.mp3`)
  const ids = [await client.upload(recording, { language: 'en' }), await client.uploadFile(`${AUDIO}en-1.wav`)]
  const large = Buffer.alloc(9 * 1024 * 1024, 7)
  const open = await client.begin(large, { fileName: 'open.wav' })
  await client.sendPart(open, 1, large)
  await waitFor('work', async () => (await client.job(ids[0] ?? 0)).status === 'processing')
  t.match(await backUp(full), { code: 0, stdout: /complete and verified: 3 recordings and parts, .*; 3 copied now/ })
  t.match(await backUp(`${root}/busy.tar.gz`), { code: 0, stdout: /complete and verified: 3 recordings and parts/ })
  t.equal((await client.job(ids[0] ?? 0)).status, 'processing', 'the jobs were running all the time')
  for (const id of ids) t.match(await client.ended(id), { status: 'completed' })
  t.match(await backUp(`${data}/inside`), { code: 1, stderr: /inside the data directory/ })

  t.match(await restore(full, 'elsewhere'), { code: 0, stdout: /^Restored into/ })
  t.match(await restore(`${root}/busy.tar.gz`, 'busy'), { code: 0 })
  t.strictSame(filesOf(`${root}/busy`), filesOf(`${root}/elsewhere`))
  t.match(rowsOf(`${root}/busy/app.db`)['job'], [{ id: ids[0], status: 'processing' }, { id: ids[1] }])
  const taken = rowsOf(`${root}/elsewhere/app.db`)
  t.match(taken['job'], [{ id: ids[0], status: 'processing' }, { id: ids[1] }])
  t.ok((taken['work'] ?? []).length > 0, 'with the work that was under way')
  t.match(JSON.stringify(taken['upload_part']), open.uploadId)
  t.equal(Object.keys(filesOf(`${root}/elsewhere`)).length, 3)

  await client.request('DELETE', `/api/v1/transcriptions/${ids[1]}`)
  await client.uploadFile(`${AUDIO}de-1.m4a`)
  await client.ended(3)
  await server.stop()
  t.match(await backUp(full), { code: 0, stdout: /3 recordings and parts, .*; 1 copied now/ }, 'only what is new')
  t.equal(readdirSync(`${full}/media`).length, 2, 'the deleted recording is no longer in the backup')
  t.match(await restore(full, 'again'), { code: 0 })
  t.strictSame(rowsOf(`${root}/again/app.db`), rowsOf(`${data}/app.db`))
  t.strictSame(filesOf(`${root}/again`), filesOf(data))
  t.ok(Object.keys(filesOf(data)).length === 3)
})

t.test('in one file, compressed or not: the same rows and files, and nothing else is left', async (t) => {
  for (const ending of ['tar', 'tar.gz', 'tar.zst']) {
    const [file, into] = [`${root}/whole.${ending}`, `whole-${ending}`]
    t.match(await backUp(file), { code: 0, stdout: /complete and verified: 3 recordings and parts/ })
    t.match(await restore(file, into), { code: 0 })
    t.strictSame(rowsOf(`${root}/${into}/app.db`), rowsOf(`${data}/app.db`))
    t.strictSame(filesOf(`${root}/${into}`), filesOf(data))
    t.strictSame(readdirSync(`${root}/${into}`).sort(), ['app.db', 'media', 'uploads'])
  }
  t.strictSame(readdirSync(root).filter((name) => name.includes('.tmp')), [])
  const names = execFileSync('tar', ['-tf', `${root}/whole.tar`], { encoding: 'utf8' }).trim().split('\n')
  t.match(names, [/^media/, /^media/, /^uploads/, /^database/, 'backup.json'], 'and tar can read it')
  writeFileSync(`${root}/note`, '')
  t.match(await backUp(`${root}/note`), { code: 1, stderr: /is a file; call it \.tar/ })
  t.match(await backUp(`${data}/inside.tar`), { code: 1, stderr: /inside the data directory/ })
  t.match(await backUp(`${root}/none/x.tar`), { code: 1, stderr: /none does not exist; create it first/ })
})

t.test('of a file, one flipped byte is noticed wherever it is, and what it is in is named', async (t) => {
  const [file, damaged, target] = [`${root}/whole.tar`, `${root}/damaged.tar`, `${root}/flipped`]
  const bytes = readFileSync(file)
  const flip = async (path: string, at: number): Promise<string> => {
    const copy = readFileSync(path)
    copy[at] = (copy[at] ?? 0) ^ 1
    writeFileSync(damaged, copy)
    const { code, stderr } = await restore(damaged, 'flipped')
    t.equal(code, 1)
    t.strictSame(readdirSync(target), [])
    return stderr
  }
  const list = JSON.parse(readFileSync(`${full}/backup.json`, 'utf8')) as { files: Array<{ path: string, sizeBytes: number }> }
  const [{ path, sizeBytes } = { path: '', sizeBytes: 0 }] = list.files
  const start = bytes.indexOf(path)
  t.match(await flip(file, start + 512 + Math.floor(sizeBytes / 2)), `the backup is damaged: ${path} has changed`)
  t.match(await flip(file, bytes.indexOf('database/') + 512 + 5000), /the backup is damaged: database\/.* has changed/)
  t.match(await flip(file, start + 1), /the backup is damaged/)
  t.match(await flip(file, bytes.lastIndexOf('"sha256": "') + 12), /the backup is damaged: .* has changed/)
  const packed = `${root}/whole.tar.gz`
  t.match(await flip(packed, readFileSync(packed).length >> 1), /the backup is damaged: .* (has changed|cannot be read)/)
  writeFileSync(damaged, bytes.subarray(0, bytes.lastIndexOf('backup.json')))
  t.match(await restore(damaged, 'flipped'), { code: 1, stderr: /the backup is damaged: .*(has no backup\.json|cannot be read)/ })
  t.strictSame(readdirSync(target), [])
})

t.test('a data directory with anything in it is refused, and so is a backup of a newer version', async (t) => {
  const [used, newer] = [`${root}/used`, `${root}/newer`]
  mkdirSync(used)
  writeFileSync(`${used}/note`, '')
  await t.rejects(restoreHere({ directory: full, dataDir: used }), { message: /is not empty; restore into an empty one/ })
  cpSync(full, newer, { recursive: true })
  const list = JSON.parse(readFileSync(`${newer}/backup.json`, 'utf8')) as { schemaVersion: number }
  writeFileSync(`${newer}/backup.json`, JSON.stringify({ ...list, schemaVersion: list.schemaVersion + 1 }))
  await t.rejects(restoreHere({ directory: newer, dataDir: `${root}/new` }), { message: /made by a newer version of Stenobox/ })
})

t.test('a damaged or missing file is named, and nothing is restored', async (t) => {
  const target = `${root}/target`
  const [recording = ''] = readdirSync(`${full}/media`)
  const [database = ''] = readdirSync(`${full}/database`)
  for (const path of [`media/${recording}`, `database/${database}`]) {
    const damaged = `${root}/damaged`
    cpSync(full, damaged, { recursive: true })
    const bytes = readFileSync(`${damaged}/${path}`)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(`${damaged}/${path}`, bytes)
    await t.rejects(restoreHere({ directory: damaged, dataDir: target }), { message: `the backup is damaged: ${path} has changed` })
    t.strictSame(readdirSync(target), [])
    rmSync(`${damaged}/${path}`)
    await t.rejects(restoreHere({ directory: damaged, dataDir: target }), { message: `the backup is damaged: ${path} is missing` })
    rmSync(damaged, { recursive: true })
  }
  writeFileSync(`${full}.list`, readFileSync(`${full}/backup.json`))
  writeFileSync(`${full}/backup.json`, '{')
  await t.rejects(restoreHere({ directory: full, dataDir: target }), { message: /backup\.json cannot be read as the list/ })
  writeFileSync(`${full}/backup.json`, readFileSync(`${full}.list`))
})

t.test('a backup that is killed leaves no backup, or the earlier one', async (t) => {
  const fresh = `${root}/killed`
  const kill = async (directory: string): Promise<void> => {
    const seen = existsSync(`${directory}/database`) ? readdirSync(`${directory}/database`) : []
    const child = spawn(process.execPath, [CLI, 'backup', directory], {
      env: { PATH: process.env['PATH'], STENOBOX_DATA_DIR: data, STENOBOX_MODELS_DIR: NO_MODELS }, stdio: 'ignore'
    })
    const closed = once(child, 'close')
    await waitFor('the copy of the database', () =>
      existsSync(`${directory}/database`) && readdirSync(`${directory}/database`).some((name) => !seen.includes(name)), { everyMs: 1 })
    child.kill('SIGKILL')
    await closed
  }
  await kill(fresh)
  if (existsSync(`${fresh}/backup.json`)) await restoreHere({ directory: fresh, dataDir: `${root}/k0` })
  else await t.rejects(restoreHere({ directory: fresh, dataDir: `${root}/k0` }), { message: /is not a backup: it has no backup\.json/ })
  await kill(full)
  await restoreHere({ directory: full, dataDir: `${root}/k1` })
  t.strictSame(rowsOf(`${root}/k1/app.db`), rowsOf(`${data}/app.db`))
  await backUpNow(fresh)
  await restoreHere({ directory: fresh, dataDir: `${root}/k2` })
  t.strictSame(filesOf(`${root}/k2`), filesOf(data))
})

t.test('a recording that is damaged in the data directory is named, and the earlier backup stays', async (t) => {
  const [recording = ''] = readdirSync(`${data}/media`)
  writeFileSync(`${data}/media/${recording}`, 'not what it was')
  await t.rejects(backUpNow(`${root}/fresh`), { message: `${recording} is damaged: it does not have the SHA-256` })
  t.notOk(existsSync(`${root}/fresh/backup.json`))
})
