/** What a person reads when the program cannot start: one sentence that says what to do, and exit code 1. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import t from 'tap'
import type { Test } from 'tap'
import { listen } from '../support/listen.ts'
import { runCommand, startServer } from '../support/program.ts'

type Ended = Awaited<ReturnType<typeof runCommand>>

/** One line, without a stack. */
function isRefused (t: Test, { code, stdout, stderr }: Ended, sentence: RegExp): void {
  const faults = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  t.equal(code, 1)
  t.equal(stdout, '')
  t.equal(faults.length, 1, stderr)
  t.match(faults[0], sentence)
}

t.test('a data directory that cannot be used', async (t) => {
  const root = t.testdir({ file: '', blocked: { media: 'a file' }, damaged: { 'app.db': 'no database '.repeat(500) } })
  const refused = /^stenobox: the data directory \S+ cannot be created or written; choose another directory with STENOBOX_DATA_DIR/
  for (const directory of ['/proc/stenobox/data', '/sys', `${root}/file/data`, `${root}/blocked`]) {
    isRefused(t, await runCommand(directory, ['serve']), refused)
  }
  isRefused(t, await runCommand(`${root}/damaged`, ['serve']), /^stenobox: a database in \S+ is damaged; put back app\.db from a backup/)
})

t.test('an address to listen on that cannot be had', async (t) => {
  const dataDir = t.testdir()
  const { port } = new URL(await listen(t, createServer()))
  const taken = await runCommand(dataDir, ['serve'], { STENOBOX_PORT: port })
  isRefused(t, taken, new RegExp(`^stenobox: port ${port} of 127\\.0\\.0\\.1 is in use by another program; stop it, or set STENOBOX_PORT`))
  const foreign = await runCommand(dataDir, ['serve'], { STENOBOX_HOST: '192.0.2.1' })
  isRefused(t, foreign, /^stenobox: 192\.0\.2\.1 is not an address of this machine; set STENOBOX_HOST to an address of this machine/)
})

t.test('a second server on one data directory is refused; other commands share it', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  t.teardown(async () => { await server.kill9() })
  const second = await runCommand(dataDir, ['serve'])
  isRefused(t, second, /^stenobox: another server is running on the data directory \S+; stop it, or set STENOBOX_DATA_DIR/)
  t.equal((await runCommand(dataDir, ['keys', 'list'])).code, 0)
  t.equal((await fetch(`${server.origin}/healthz`)).status, 200, 'the first one is not disturbed')
  await server.kill9()
  const third = await startServer(dataDir)
  t.equal(await third.stop(), 0, 'and the directory is free when the first one has died')
})

t.test('recordings without a database: refused, and nothing is touched', async (t) => {
  const sentence = /app\.db is (missing|empty), but \S+ has 1 files; put back app\.db from a backup, or move/
  for (const isEmpty of [false, true]) {
    const dataDir = t.testdir({ media: { 'upload-1': 'a recording' }, 'app.db-wal': 'the newest transactions' })
    if (isEmpty) writeFileSync(`${dataDir}/app.db`, '')
    const before = readdirSync(dataDir)
    for (const command of [['serve'], ['keys', 'create', '--name', 'x']]) {
      isRefused(t, await runCommand(dataDir, command), sentence)
    }
    t.strictSame(readdirSync(dataDir), before)
    t.equal(readFileSync(`${dataDir}/media/upload-1`, 'utf8'), 'a recording')
    t.equal(readFileSync(`${dataDir}/app.db-wal`, 'utf8'), 'the newest transactions')
  }
  const fresh = t.testdir()
  mkdirSync(`${fresh}/media`)
  t.equal((await runCommand(fresh, ['keys', 'list'])).code, 0, 'an empty media directory is no recording')
})

/** Set-up in a Node that says it has this version, on a machine with no programs at all. */
async function setUpWith (version: string): Promise<{ code: unknown, stderr: string }> {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })
    Object.defineProperty(process, 'version', { value: 'v${version}' })`
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, 'scripts/setup.mjs'], {
    env: { PATH: '/nonexistent' }, stdio: ['ignore', 'ignore', 'pipe']
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => { stderr += chunk })
  const [code] = await once(child, 'close')
  return { code, stderr }
}

t.test('a Node that is too old is named before anything is installed', async (t) => {
  const { code, stderr } = await setUpWith('18.20.4')
  t.equal(code, 1)
  const install = 'Install a newer Node.js, then run the same command again.'
  t.equal(stderr, `\nsetup: Stenobox needs Node.js 20.0 or newer; this is v18.20.4.\n${install}\n`)
  t.match((await setUpWith('20.11.0')).stderr, /these programs and libraries are missing: ffmpeg/, 'with Node 20, npm brings a newer one')
})
