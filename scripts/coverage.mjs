/**
 * Measures which lines of src the tests ran: each Node process of a run writes what it executed (NODE_V8_COVERAGE), and this
 * script adds it up. Processes that are killed write nothing.
 *
 *   node scripts/coverage.mjs     show the share of each file after `npm run coverage`
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const FLOOR = join(ROOT, 'coverage.json')
export const COVERAGE_FOLDER = join(ROOT, 'build', 'coverage')
/** Percentage points by which the share may vary: which lines of retries and recovery run depends on timing. */
const TOLERANCE = 0.2

export function startCoverage () {
  rmSync(COVERAGE_FOLDER, { recursive: true, force: true })
  mkdirSync(COVERAGE_FOLDER, { recursive: true })
}

/** Undefined for a record that a process was killed in the middle of writing. */
function readRecord (file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Drops the records of packages, tests and Node itself, nine tenths of all, so that adding up is fast and fits in memory. */
function keepOurs () {
  const prefix = pathToFileURL(join(ROOT, 'dist') + '/').href
  const isOurs = (url) => url.startsWith(prefix)
  for (const name of readdirSync(COVERAGE_FOLDER)) {
    const file = join(COVERAGE_FOLDER, name)
    const { result = [], 'source-map-cache': maps = {}, ...rest } = readRecord(file) ?? {}
    const ours = result.filter(({ url }) => isOurs(url))
    if (ours.length === 0) {
      rmSync(file)
      continue
    }
    const ourMaps = Object.fromEntries(Object.entries(maps).filter(([url]) => isOurs(url)))
    writeFileSync(file, JSON.stringify({ result: ours, 'source-map-cache': ourMaps, ...rest }))
  }
}

async function readCoverage () {
  const { Report } = createRequire(import.meta.url)('c8')
  keepOurs()
  const report = Report({
    include: [],
    exclude: ['node_modules/**', 'test/**'],
    extension: ['.ts', '.js'],
    reporter: [],
    tempDirectory: COVERAGE_FOLDER,
    src: [ROOT],
    mergeAsync: true
  })
  return await report.getCoverageMapFromAllCoverageFiles()
}

/** `fault` is absent when the share of lines is not below the floor. */
export async function checkCoverage () {
  const { lines } = (await readCoverage()).getCoverageSummary()
  const { lines: floor } = JSON.parse(readFileSync(FLOOR, 'utf8'))
  const text = `${lines.pct} % of the lines of src ran (${lines.covered} of ${lines.total}); the floor in coverage.json is ${floor} %`
  return lines.pct >= floor - TOLERANCE ? { text } : { text, fault: 'fewer lines ran than coverage.json demands: test what was added' }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const map = await readCoverage()
  const rows = map.files().map((file) => ({ file: file.replace(ROOT + '/', ''), ...map.fileCoverageFor(file).toSummary().lines }))
  for (const { file, pct, covered, total } of rows.sort((a, b) => a.pct - b.pct)) {
    console.log(`${String(pct).padStart(6)} %  ${covered}/${total}  ${file}`)
  }
}
