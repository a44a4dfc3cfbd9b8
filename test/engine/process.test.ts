import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { chmodSync } from 'node:fs'
import { getPriority } from 'node:os'
import t from 'tap'
import { programVersion, runLimited, runToEnd } from '../../dist/engine/process.js'
import { childrenLeft, commandOf, isAlive, listChildren } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'

const LIMITS = { timeoutMs: 60_000, maxBytes: 1_000_000 }

t.test('a program runs to its end: its output, its errors, its code', async (t) => {
  t.strictSame(await runToEnd('sh', ['-c', 'echo out; echo wrong >&2; exit 3'], LIMITS), {
    stdout: 'out\n',
    stderr: 'wrong\n',
    code: 3,
    stopped: undefined
  })
  t.match(await runToEnd('true', [], LIMITS), { stdout: '', stderr: '', code: 0 })
})

t.test('arguments are passed as they are', async (t) => {
  const args = ['a b', '$HOME', '$(id)', '`id`', '"', '\'', '*', ';', '--', '-n', 'ü\n']
  t.equal((await runToEnd('printf', ['%s|', ...args], LIMITS)).stdout, args.map((arg) => arg + '|').join(''))
})

t.test('a program gets 4 GiB of address space, no core file, and yields to the server', async (t) => {
  const { stdout } = await runToEnd('sh', ['-c', 'ulimit -v; ulimit -c; nice'], LIMITS)
  t.equal(stdout, `${4 * 1024 ** 2}\n0\n${Math.min(19, getPriority() + 12)}\n`)
})

t.test('a program gets only the environment that it needs, without secrets or settings', async (t) => {
  const ours = {
    STENOBOX_ADMIN_PASSWORD: 'correct horse battery',
    FFREPORT: 'file=report',
    http_proxy: 'http://127.0.0.1:1',
    LC_ALL: 'C.UTF-8',
    LD_LIBRARY_PATH: '/opt/lib'
  }
  t.intercept(process, 'env', { value: { ...process.env, ...ours } })
  const { stdout } = await runToEnd('env', ['--null'], LIMITS)
  // The test runner adds to the environment of whatever a test starts.
  const variables = stdout.split('\0').filter((variable) => variable !== '' && !/^(_TAPJS_|NODE_OPTIONS=)/.test(variable))
  const passedOn = Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s).slice(0, 2)))
  t.match(passedOn, {
    PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', LD_LIBRARY_PATH: '/opt/lib', MALLOC_ARENA_MAX: '1', ORT_DISABLE_TELEMETRY: '1'
  })
  // Node itself passes NODE_V8_COVERAGE on, while coverage is measured.
  const known = /^(NODE_V8_COVERAGE|PATH|HOME|TMPDIR|LANG|LC_\w+|LD_LIBRARY_PATH|MALLOC_ARENA_MAX|ORT_DISABLE_TELEMETRY)$/
  t.strictSame(Object.keys(passedOn).filter((name) => !known.test(name)), [])
  const directory = t.testdir({ program: '#!/bin/sh\necho "of [$STENOBOX_ADMIN_PASSWORD]"\n' })
  chmodSync(`${directory}/program`, 0o755)
  t.equal(await programVersion(`${directory}/program`), 'of []')
})

t.test('a program past its time is killed, even one that ignores polite signals', async (t) => {
  const outcome = await runToEnd('sh', ['-c', 'trap "" TERM INT HUP; while :; do :; done'], { ...LIMITS, timeoutMs: 50 })
  t.match(outcome, { code: undefined, stopped: 'timeout' })
  t.strictSame(listChildren(), [])
})

t.test('a program that is stopped or aborted says so', async (t) => {
  const stopped = runLimited('sleep', ['1000'], LIMITS)
  stopped.stop()
  t.match(await stopped.ended, { code: undefined, stopped: 'aborted' })
  const controller = new AbortController()
  const aborted = runLimited('sleep', ['1000'], { ...LIMITS, signal: controller.signal })
  controller.abort()
  t.match(await aborted.ended, { stopped: 'aborted' })
  t.match(await runLimited('sleep', ['1000'], { ...LIMITS, signal: AbortSignal.abort() }).ended, { stopped: 'aborted' })
  t.strictSame(listChildren(), [])
})

t.test('the first reason to stop is the one that counts; a stop after the end changes nothing', async (t) => {
  const running = runLimited('sleep', ['1000'], LIMITS)
  running.stop()
  running.stop()
  t.match(await running.ended, { stopped: 'aborted' })
  const done = runLimited('true', [], LIMITS)
  done.stdout.resume()
  const outcome = await done.ended
  done.stop()
  t.match(outcome, { code: 0, stopped: undefined })
})

t.test('an endless output is cut off and its program is gone', async (t) => {
  const { stdout, stopped } = await runToEnd('yes', [], { ...LIMITS, maxBytes: 100_000 })
  t.ok(stdout.length > 100_000 && stdout.length < 1_000_000, `${stdout.length} characters`)
  t.equal(stopped, 'aborted')
  t.strictSame(await childrenLeft(), [])
})

t.test('only the end of stderr is kept', async (t) => {
  const { stderr } = await runToEnd('sh', ['-c', 'yes complaint | head -c 200000 >&2; echo the last word >&2'], LIMITS)
  t.equal(stderr.length, 16 * 1024)
  t.match(stderr, /the last word\n$/)
})

t.test('a program that has ended no longer reacts to its signal', async (t) => {
  const { signal } = new AbortController()
  const running = runLimited('true', [], { ...LIMITS, signal })
  t.equal(getEventListeners(signal, 'abort').length, 1)
  running.stdout.resume()
  await running.ended
  t.equal(getEventListeners(signal, 'abort').length, 0)
})

t.test('a program that cannot be started ends with a code, and when nothing can be started, with an error', async (t) => {
  const { code, stdout } = await runToEnd('no-such-program', [], LIMITS)
  t.ok(code === 127 || code === 126, 'not found, or not allowed to look')
  t.equal(stdout, '')
  const { PATH = '' } = process.env
  t.teardown(() => { process.env['PATH'] = PATH })
  process.env['PATH'] = t.testdir()
  await t.rejects(runToEnd('true', [], LIMITS))
})

t.test('the version of a program is its first line; a missing one has none', async (t) => {
  t.match(await programVersion('ffmpeg'), /^ffmpeg version \S+.*$/)
  t.match(await programVersion('sh'), undefined)
  t.equal(await programVersion('no-such-program'), undefined)
})

t.test('a companion ends with the process that started it, even while it is stopped', async (t) => {
  const program = new URL('../../dist/engine/process.js', import.meta.url).href
  const directory = t.testdir({
    'companion.mjs': 'process.on("message", () => {})',
    'server.mjs': `
      import { startCompanion } from ${JSON.stringify(program)}
      const { pid } = startCompanion(process.argv[2], 0, () => {})
      console.log(pid)`
  })
  const argv = [`${directory}/server.mjs`, `${directory}/companion.mjs`]
  const server = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data') as [string]
  const pid = Number(line)
  t.teardown(() => { if (isAlive(pid)) process.kill(pid, 'SIGKILL') })
  // It has become the companion, and no longer the programs that prepare it.
  await waitFor('the companion', () => commandOf(pid).startsWith(process.execPath))
  process.kill(pid, 'SIGSTOP')
  server.kill('SIGKILL')
  await waitFor('its end', () => !isAlive(pid))
})
