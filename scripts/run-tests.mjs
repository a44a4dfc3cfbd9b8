/**
 * `npm test`: every test file in a process, several at once, and beside them the checks of the source (types, lint, imports, documents). One line
 * for each, everything it printed for one that fails, and the sum at the end, alone on its line.
 *
 *   node scripts/run-tests.mjs [--coverage] [FILE…]
 *
 * FILE…: only these test files, without the checks. --coverage: also measure which lines of src ran, and fail when that is less than
 * coverage.json demands.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkCoverage, COVERAGE_FOLDER, startCoverage } from './coverage.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(ROOT, 'node_modules', '.bin', name)
/** What the checks remember of the run before, so that the next one looks only at changed files. */
const CACHE = join('build', 'checks')
const CHECKS = [
  { name: 'types of tests', argv: [bin('tsc'), '-p', 'test', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', join(CACHE, 'types.json')] },
  { name: 'lint', argv: [bin('eslint'), '.', '--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, 'lint.json')] },
  { name: 'imports', argv: ['scripts/check-imports.mjs'] },
  { name: 'documents', argv: ['scripts/check-docs.mjs'] }
]
/** Where the slow files are. They start first, so that none of them runs alone at the end. */
const SLOW = ['test/e2e/', 'test/engine/media/', 'test/contract/', 'test/cli/', 'test/native/', 'test/evaluate/', 'test/engine/']
/** Two processors are busy with three files: the slow ones wait for other programs for much of their time. */
const AT_ONCE = 3
/** Of a file, in seconds. Only a last resort: waiting helpers fail much sooner when nothing happens (test/support/wait.ts). */
const FILE_TIMEOUT = process.env.TAP_TIMEOUT ?? '1800'

const args = process.argv.slice(2)
const withCoverage = args.includes('--coverage')
const files = args.filter((argument) => argument !== '--coverage')
const sum = { passed: 0, failed: 0, skipped: 0, todo: 0 }
const failures = []
const children = new Set()
const show = (line) => process.stdout.write(`${line}\n`)

/** Runs a script of Node to its end. `output` is all it printed, stderr included. */
function run (argv, env) {
  const began = performance.now()
  const child = spawn(process.execPath, argv, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => { output += chunk })
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      children.delete(child)
      resolve({ isOk: code === 0, signal, output: output.trimEnd(), ms: Math.round(performance.now() - began) })
    })
  })
}

function report (name, { isOk, signal, output, ms }) {
  show(`${isOk ? 'ok' : 'not ok'} - ${name} (${ms} ms)`)
  if (output !== '') show(output.replace(/^/gm, '    '))
  if (signal) show(`    stopped by ${signal}`)
  if (!isOk) failures.push(name)
}

/** One after another: they share the processors with the tests. */
async function runChecks () {
  mkdirSync(join(ROOT, CACHE), { recursive: true })
  for (const { name, argv } of CHECKS) {
    const result = await run(argv)
    sum[result.isOk ? 'passed' : 'failed']++
    report(name, result)
  }
}

/** All test files, the slow ones first. */
function listTests () {
  const rank = (file) => SLOW.findIndex((folder) => file.startsWith(folder)) >>> 0
  return globSync('test/**/*.test.ts', { cwd: ROOT }).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** The last line with counts is that of the whole file; a file that is skipped as a whole has none. */
function readCounts (output) {
  const line = [...output.matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1] ?? ''
  return Object.fromEntries(line.split(', ').map((part) => part.split(': ')).map(([key, value]) => [key, Number(value)]))
}

async function runTest (file) {
  const env = { TAP_TIMEOUT: FILE_TIMEOUT, ...(withCoverage && { NODE_V8_COVERAGE: COVERAGE_FOLDER }) }
  const result = await run([file], env)
  const { pass = 0, fail = 0, skip = 0, todo = 0 } = readCounts(result.output)
  sum.passed += pass
  sum.skipped += skip
  sum.todo += todo
  // A process can also fail without a failed assertion: it could not start, or was stopped.
  sum.failed += result.isOk ? fail : Math.max(1, fail)
  report(file, result.isOk ? { ...result, output: '' } : result)
}

async function runTests () {
  const waiting = files.length > 0 ? [...files] : listTests()
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await runTest(file)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function judgeCoverage () {
  const { text, fault } = await checkCoverage()
  // A few files run a few lines: only all of them are judged.
  const isOk = fault === undefined || files.length > 0
  sum[isOk ? 'passed' : 'failed']++
  show(`${isOk ? 'ok' : 'not ok'} - coverage\n    ${text}`)
  if (!isOk) failures.push(`coverage: ${fault}`)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
    process.exit(1)
  })
}

if (withCoverage) startCoverage()
await Promise.all([files.length === 0 && runChecks(), runTests()])
if (withCoverage) await judgeCoverage()
if (failures.length > 0) show(`\nfailed:\n${failures.map((name) => `  ${name}`).join('\n')}`)
if (sum.skipped + sum.todo > 0) show(`\n${sum.skipped} skipped, ${sum.todo} to do`)
show(`\n${sum.passed} passed, ${sum.failed} failed`)
if (sum.failed > 0) process.exitCode = 1
