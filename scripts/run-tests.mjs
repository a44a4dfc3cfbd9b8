/**
 * `npm test`: runs each test file in a process, several at once, and the checks of the source (types, lint, imports, documents)
 * beside them. Prints a line for each, the whole output of those that fail, and the totals on the last line.
 *
 *   node scripts/run-tests.mjs [--coverage] [--repeat] [FILE…]
 *
 * FILE…: only these test files, without the checks. --coverage: also measure which lines of src ran; fails below the share in
 * coverage.json. --repeat: run files that failed a second time, alone. A file that then passes counts as passed, and is listed as
 * unsteady, with the output of its failure: a defect of the test or of the program, but no reason to lose a whole run.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkCoverage, COVERAGE_FOLDER, startCoverage } from './coverage.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(ROOT, 'node_modules', '.bin', name)
/** Caches of the checks, so that the next run looks only at changed files. */
const CACHE = join('build', 'checks')
const CHECKS = [
  {
    name: 'types of tests',
    argv: [bin('tsc'), '-p', 'test', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', join(CACHE, 'types.json')]
  },
  {
    name: 'types of the page',
    argv: [bin('tsc'), '-p', 'src/dashboard', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', join(CACHE, 'page-types.json')]
  },
  {
    // Errors only: a warning never fails a run and would hide what does; `npm run lint` shows them.
    name: 'lint',
    argv: [bin('eslint'), '.', '--quiet', '--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, 'lint.json')]
  },
  { name: 'imports', argv: ['scripts/check-imports.mjs'] },
  { name: 'documents', argv: ['scripts/check-docs.mjs'] }
]
/** Where the slow files are. They start first, so that none of them runs alone at the end. */
const SLOW = [
  'test/e2e/', 'test/page/', 'test/engine/media/', 'test/contract/', 'test/cli/', 'test/native/', 'test/evaluate/', 'test/engine/'
]
/** Three files keep two processors busy: the slow ones spend much of their time waiting for other programs. */
const AT_ONCE = 3
/** Seconds for one file. A last resort: helpers that wait fail much sooner when nothing happens (test/support/wait.ts). */
const FILE_TIMEOUT = process.env.TAP_TIMEOUT ?? '1800'
/** Milliseconds that files and checks get to end their own programs after the run was stopped. */
const STOP_MS = 5000

const args = process.argv.slice(2)
const withCoverage = args.includes('--coverage')
const canRepeat = args.includes('--repeat')
const files = args.filter((argument) => !argument.startsWith('--'))
const sum = { passed: 0, failed: 0, skipped: 0, todo: 0 }
const failures = []
/** Test files that failed and are to run again. */
const repeats = []
const children = new Set()
let isStopping = false
const show = (line) => process.stdout.write(`${line}\n`)

/** Runs a script of Node to its end. `output` is all it printed, stderr included. */
function run (argv, env) {
  const began = performance.now()
  // A process group for each, so that a stop reaches the servers and programs that a test started.
  const child = spawn(process.execPath, argv, {
    cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, detached: true
  })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => { output += chunk })
  return new Promise((resolve) => {
    const end = (result) => {
      children.delete(child)
      resolve({ output: output.trimEnd(), ms: Math.round(performance.now() - began), ...result })
    }
    child.on('error', (error) => end({ isOk: false, output: `could not be started: ${error.message}` }))
    child.on('close', (code, signal) => end({ isOk: code === 0, signal }))
  })
}

/** Sends a signal to files or checks and to all that they started. */
function signalGroups (stopped, signal) {
  for (const { pid } of stopped) {
    if (pid === undefined) continue
    try {
      process.kill(-pid, signal)
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
}

function report (name, { isOk, signal, output, ms }, failed = 'not ok') {
  show(`${isOk ? 'ok' : failed} - ${name} (${ms} ms)`)
  if (output !== '') show(output.replace(/^/gm, '    '))
  if (signal) show(`    stopped by ${signal}`)
  if (!isOk && failed === 'not ok') failures.push(name)
}

/** Runs the checks one after another: they share the processors with the tests. */
async function runChecks () {
  mkdirSync(join(ROOT, CACHE), { recursive: true })
  for (const { name, argv } of CHECKS) {
    if (isStopping) return
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

/** Reads the totals of a file from the last line with counts; a file that is skipped as a whole has none. */
function readCounts (output) {
  const line = [...output.matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1] ?? ''
  return Object.fromEntries(line.split(', ').map((part) => part.split(': ')).map(([key, value]) => [key, Number(value)]))
}

async function runTest (file) {
  const env = { TAP_TIMEOUT: FILE_TIMEOUT, ...(withCoverage && { NODE_V8_COVERAGE: COVERAGE_FOLDER }) }
  const result = await run([file], env)
  if (!result.isOk && canRepeat && !isStopping && !repeats.includes(file)) {
    repeats.push(file)
    report(file, result, 'unsteady')
    return
  }
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
  const next = () => isStopping ? undefined : waiting.shift()
  const worker = async () => {
    for (let file = next(); file !== undefined; file = next()) await runTest(file)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function judgeCoverage () {
  const { text, fault } = await checkCoverage()
  // The floor holds for a run of all files, not for a selection.
  const isOk = fault === undefined || files.length > 0
  sum[isOk ? 'passed' : 'failed']++
  show(`${isOk ? 'ok' : 'not ok'} - coverage\n    ${text}`)
  if (!isOk) failures.push(`coverage: ${fault}`)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (isStopping) return
    isStopping = true
    // On SIGTERM a test file cleans up and ends; whatever is left of it after that is killed.
    const stopped = [...children]
    signalGroups(stopped, 'SIGTERM')
    setTimeout(() => {
      signalGroups(stopped, 'SIGKILL')
      process.exit(1)
    }, STOP_MS)
  })
}

if (withCoverage) startCoverage()
await Promise.all([files.length === 0 && runChecks(), runTests()])
// One after another: most files that fail once do so because the machine was busy.
for (const file of [...repeats]) if (!isStopping) await runTest(file)
if (withCoverage) await judgeCoverage()
const unsteady = repeats.filter((file) => !failures.includes(file))
if (unsteady.length > 0) show(`\nunsteady, passed when run again:\n${unsteady.map((name) => `  ${name}`).join('\n')}`)
if (failures.length > 0) show(`\nfailed:\n${failures.map((name) => `  ${name}`).join('\n')}`)
if (sum.skipped + sum.todo > 0) show(`\n${sum.skipped} skipped, ${sum.todo} to do`)
show(`\n${sum.passed} passed, ${sum.failed} failed`)
if (sum.failed > 0) process.exitCode = 1
