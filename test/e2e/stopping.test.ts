/** A stop within ten seconds that gives windows back, and Node of a version that is too old. */
import Database from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import t from 'tap'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

/** What docs/operations.md promises. */
const STOP_MS = 10_000

t.test('a server that transcribes, with a client that does not disconnect, stops in time and resumes later', async (t) => {
  const dataDir = t.testdir()
  let server = await startServer(dataDir)
  const key = server.firstKey ?? ''
  const client = createClient(server.address, key)
  const id = await client.upload(readFileSync(`${AUDIO}dialogue.mp3`), { language: 'en' })
  const running = (): number => {
    const db = new Database(`${dataDir}/app.db`, { readonly: true })
    try {
      return Number(db.prepare('SELECT count(*) FROM work WHERE state = \'running\'').pluck().get())
    } finally {
      db.close()
    }
  }
  await waitFor('a window', () => running() > 0)
  const { hostname, port } = new URL(server.origin)
  const socket = connect(Number(port), hostname).on('error', () => {})
  t.teardown(() => { socket.destroy() })
  const path = '/api/v1/media/uploads/x/parts/1'
  socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 1000000\r\n\r\nx`)
  const startedMs = performance.now()
  t.equal(await server.stop(), 0)
  const tookMs = performance.now() - startedMs
  t.ok(tookMs < STOP_MS, `${Math.round(tookMs)} ms`)
  t.equal(running(), 0, 'its windows are given back')
  server = await startServer(dataDir)
  t.teardown(async () => await server.stop())
  t.match(await createClient(server.address, key).ended(id), { status: 'completed' })
})

t.test('a database of a newer version is refused in a sentence, by every command', async (t) => {
  const dataDir = t.testdir()
  await runCommand(dataDir, ['keys', 'list'])
  const db = new Database(`${dataDir}/app.db`)
  db.pragma('user_version = 9999')
  db.close()
  for (const command of [['serve'], ['keys', 'list'], ['backup', `${dataDir}-backup.tar`]]) {
    const { code, stderr } = await runCommand(dataDir, command)
    t.equal(code, 1)
    t.equal(stderr, 'stenobox: This data directory was written by a newer version of Stenobox. ' +
      'Start that version, or restore a backup made with this one.\n')
  }
})

t.test('Node that is too old gets a sentence', async (t) => {
  const root = t.testdir({ scripts: {}, dist: { cli: { 'index.js': 'throw new Error("must not run")' } }, node_modules: {} })
  // The same script with another version: no older Node is installed here.
  const script = readFileSync('scripts/stenobox.mjs', 'utf8')
    .replaceAll('process.versions.node', '"20.9.0"').replaceAll('process.version}', '"v20.9.0"}')
  writeFileSync(`${root}/scripts/stenobox.mjs`, script)
  const { status, stderr } = spawnSync(process.execPath, [`${root}/scripts/stenobox.mjs`, 'serve'], { encoding: 'utf8' })
  t.equal(status, 1)
  t.match(stderr, /^stenobox: needs Node\.js 22\.19 or newer; this is v20\.9\.0\./)
})
