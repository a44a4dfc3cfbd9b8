/**
 * `npm test`: the checks of the source (lint, imports, documents, types), then the tests with tap. One line for each
 * check and each test file, everything it said for one that fails, and the sum at the end, alone on its line.
 *
 *   node scripts/run-tests.mjs [FILE…]     only these test files, without the checks
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(ROOT, 'node_modules', '.bin', name)
const CHECKS = [
  { name: 'lint', argv: [bin('eslint'), '.'] },
  { name: 'imports', argv: ['scripts/check-imports.mjs'] },
  { name: 'documents', argv: ['scripts/check-docs.mjs'] },
  { name: 'types of tests', argv: [bin('tsc'), '-p', 'test', '--pretty', 'false'] }
]

const files = process.argv.slice(2)
const sum = { passed: 0, failed: 0, skipped: 0, todo: 0 }
const failures = []
const children = new Set()
const show = (line) => process.stdout.write(`${line}\n`)

function start (argv, stdio) {
  const child = spawn(process.execPath, argv, { cwd: ROOT, stdio })
  children.add(child)
  child.on('close', () => children.delete(child))
  return child
}

function runCheck ({ name, argv }) {
  const began = performance.now()
  const child = start(argv, ['ignore', 'pipe', 'pipe'])
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => { output += chunk })
  child.stderr.setEncoding('utf8').on('data', (chunk) => { output += chunk })
  return new Promise((resolve) => child.on('close', (code, signal) => {
    const ok = code === 0
    if (ok) {
      sum.passed++
    } else {
      sum.failed++
      failures.push(name)
    }
    show(`${ok ? 'ok' : 'not ok'} - ${name} (${Math.round(performance.now() - began)} ms)`)
    if (output.trim() !== '') show(output.trimEnd().replace(/^/gm, '    '))
    if (signal) show(`    stopped by ${signal}`)
    resolve()
  }))
}

/** Checks run two at a time: the slow ones, lint and types, side by side. */
async function runChecks () {
  const waiting = [...CHECKS]
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) await runCheck(check)
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker))
}

const RESULT = /^(ok|not ok) \d+ - (.*?)(?: # time=([\d.]+)ms)?$/
const COUNTS = /^# \{ (total: .*) \}$/
const NOISE = /^(TAP version|# |\d+\.\.\d+|\s*$)/
/** What tap adds about the process of a failed file, less what is the same for every file. */
const DIAGNOSTIC_NOISE = /^ {2}(---|\.\.\.|stdio:|cwd:|externalID:|command:|args:|jobId:| {2}- |signal: null)/

/** Reads tap's stream: one top-level block per test file, closed by its own `ok` or `not ok`. */
function createTapReader () {
  let block = []
  let counts
  let inDiagnostic = false
  const flush = () => {
    if (block.length > 0) show(block.join('\n'))
    block = []
  }
  const onResult = ([, status, name, ms]) => {
    const time = ms ? ` (${Math.round(Number(ms))} ms)` : ''
    if (status === 'ok' || / # (SKIP|TODO)/i.test(name)) {
      show(`ok - ${name}${time}`)
      block = []
    } else {
      show(`not ok - ${name}${time}`)
      failures.push(name)
      flush()
    }
  }
  const onLine = (line) => {
    const result = RESULT.exec(line)
    if (result) return onResult(result)
    if (line === '  ---') inDiagnostic = true
    if (inDiagnostic) {
      if (!DIAGNOSTIC_NOISE.test(line)) show(line.replace(/^ {2}/, '    '))
      inDiagnostic = line !== '  ...'
    } else if (COUNTS.test(line)) {
      counts = Object.fromEntries(COUNTS.exec(line)[1].split(', ').map((part) => part.split(': ')).map(([key, value]) => [key, Number(value)]))
    } else if (!NOISE.test(line)) {
      block.push(line)
    }
  }
  return { onLine, flush, counts: () => counts }
}

async function runTap () {
  const child = start([bin('tap'), 'run', '--reporter=tap', ...files], ['ignore', 'pipe', 'inherit'])
  const reader = createTapReader()
  const closed = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })))
  for await (const line of createInterface({ input: child.stdout })) reader.onLine(line)
  const { code, signal } = await closed
  const counts = reader.counts()
  if (counts) {
    sum.passed += counts.pass ?? 0
    sum.failed += counts.fail ?? 0
    sum.skipped += counts.skip ?? 0
    sum.todo += counts.todo ?? 0
  }
  // tap can fail without a failed assertion: no counts at all, a bail-out, a file that it could not start.
  if (counts && code === 0) return
  if (!counts || !counts.fail) {
    sum.failed++
    failures.push('tap')
    show(`not ok - tap ${signal ? `was stopped by ${signal}` : `ended with exit code ${code}`}`)
    reader.flush()
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
    process.exitCode = 1
  })
}

if (files.length === 0) await runChecks()
await runTap()
if (failures.length > 0) show(`\nfailed:\n${failures.map((name) => `  ${name}`).join('\n')}`)
if (sum.skipped + sum.todo > 0) show(`\n${sum.skipped} skipped, ${sum.todo} to do`)
show(`\n${sum.passed} passed, ${sum.failed} failed`)
if (sum.failed > 0) process.exitCode = 1
