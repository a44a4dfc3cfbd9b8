/**
 * Fails when a document names something that is not there: a path, an npm script, an environment variable. Also fails
 * when a tracked file names a place that exists only where it was written.
 *
 *   node scripts/check-docs.mjs [ROOT]
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)))
const DOCUMENTS = ['README.md', 'src/README.md', 'CHANGELOG.md']
/** Made when the program is set up or runs, so never in a checkout. */
const MADE = ['node_modules', 'dist', 'build', 'data', '.tap', 'coverage', '.git']
/** A bare name with one of these endings is a file of ours; `whisper.cpp` and `Node.js` are not. */
const OUR_ENDINGS = /\.(ts|mjs|md|sql|cc)$/
const NPM_SHORT = ['test', 'start', 'stop', 'restart']

const faults = []
const fault = (file, line, message) => faults.push(`${file}${line ? `:${line}` : ''}: ${message}`)
const readText = (path) => readFileSync(join(ROOT, path), 'utf8')

function listTracked () {
  try {
    const list = (...args) => execFileSync('git', ['ls-files', '-z', ...args], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\0')
    return [...new Set([...list(), ...list('--others', '--exclude-standard')])].filter((path) => path && existsSync(join(ROOT, path)))
  } catch {
    // No git, or an archive of the sources: everything but what is made here.
    const walk = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (MADE.includes(relative(ROOT, path))) return []
      return entry.isDirectory() ? walk(path) : [relative(ROOT, path).split(sep).join('/')]
    })
    return walk(ROOT)
  }
}

// ---------------------------------------------------------------- paths and npm scripts

/** Code spans of prose and whole lines of code blocks, each with its line number. */
function codeIn (text) {
  const found = []
  let fenced = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    else if (fenced) found.push({ line: index + 1, code: line, fenced })
    else for (const [, , code] of line.matchAll(/(`+)(.+?)\1(?!`)/g)) found.push({ line: index + 1, code: code.trim(), fenced })
  }
  return found
}

function checkScripts (document, line, code, scripts) {
  for (const [, name] of code.matchAll(/\bnpm run(?:-script)? (?:-\S+ )*([\w:.-]+)/g)) {
    if (!(name in scripts)) fault(document, line, `there is no npm script "${name}"`)
  }
  for (const [, name] of code.matchAll(/\bnpm (\w+)/g)) {
    if (NPM_SHORT.includes(name) && !(name in scripts)) fault(document, line, `there is no npm script "${name}"`)
  }
}

/** The words of a piece of code that are meant as files of this repository. */
function pathsIn (code, fenced, topNames) {
  const words = fenced ? code.split(/[\s'"=;,]+/) : [code]
  return words.map((word) => word.replace(/^\.\//, '').replace(/[:,;)]+$/, '').replace(/\/$/, '')).filter((word) => {
    if (!/^[\w.@-]+(\/[\w.@-]+)*$/.test(word)) return false
    if (word.includes('/')) return topNames.has(word.split('/')[0]) || (!fenced && OUR_ENDINGS.test(word))
    return !fenced && OUR_ENDINGS.test(word)
  })
}

function checkDocument (document, tracked, scripts) {
  const text = readText(document)
  const home = dirname(document) === '.' ? '' : `${dirname(document)}/`
  const folders = new Set(tracked.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))))
  const names = new Set(tracked.map((path) => path.split('/').at(-1)))
  const topNames = new Set([...tracked, ...tracked.filter((path) => path.startsWith('src/')).map((path) => path.slice(4))].map((path) => path.split('/')[0]))
  const isThere = (path) => tracked.includes(path) || folders.has(path)
  for (const { line, code, fenced } of codeIn(text)) {
    checkScripts(document, line, code, scripts)
    for (const path of pathsIn(code, fenced, topNames)) {
      if (MADE.includes(path.split('/')[0])) continue
      const places = ['', home, 'src/', 'test/', 'scripts/'].flatMap((place) => [place + path, `${place}${path}.ts`])
      if (!places.some(isThere) && !names.has(path)) fault(document, line, `there is no ${path}`)
    }
  }
  for (const [index, content] of text.split('\n').entries()) {
    for (const [, target] of content.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const path = join(home, target).split(sep).join('/').replace(/\/$/, '')
      if (!isThere(path)) fault(document, index + 1, `the link leads to ${path}, which is not there`)
    }
  }
}

// ---------------------------------------------------------------- environment variables

const variablesIn = (text) => new Set(text.match(/\bSTENOBOX_[A-Z0-9]+(_[A-Z0-9]+)*\b/g) ?? [])

function checkVariables (tracked) {
  if (!existsSync(join(ROOT, 'src/config.ts')) || !existsSync(join(ROOT, 'README.md'))) return
  const configured = variablesIn(readText('src/config.ts'))
  const readme = readText('README.md')
  const inTable = variablesIn(readme.split('\n').filter((line) => line.trimStart().startsWith('|')).join('\n'))
  // A few steer the build or the evaluation and are read by scripts, where there is no configuration.
  const ofScripts = variablesIn(tracked.filter((path) => /^scripts\/[\w/-]+\.(mjs|ts)$/.test(path)).map(readText).join('\n'))
  const isRead = (name) => [name, name.replace(/_FILE$/, '')].some((one) => configured.has(one) || ofScripts.has(one))
  for (const name of variablesIn(readme)) if (!isRead(name)) fault('README.md', 0, `${name} is read neither by src/config.ts nor by a script`)
  for (const name of configured) {
    if (!inTable.has(name) && !inTable.has(name.replace(/_FILE$/, ''))) fault('src/config.ts', 0, `${name} is not in the table of README.md`)
  }
}

// ---------------------------------------------------------------- places that exist only elsewhere

// Written so that no pattern matches itself. PyPI's own address is what pip asks too, where nothing else is set.
const ELSEWHERE = [
  { what: 'a path of the place it was written at', pattern: /(?<![\w.~'"`}-])[/]work(?![\w-])|(?<![\w.~}-])[/]work[/](main|shared|[.]\w)/ },
  { what: 'a folder outside the repository', pattern: /[.][.][/]shared\b/ },
  { what: 'the host of a package registry', pattern: /registry[.]npm|npmjs[.]org|yarnpkg[.]com|\bpkg[.]dev|[.]jfrog[.]/ },
  { what: 'the host of a package registry', pattern: /artifact-?registr[y]|deb[.]debian[.]|pypi[.](?!org[/]simple\b|simple[.]v1)/ }
]

function checkElsewhere (tracked) {
  for (const path of tracked) {
    const bytes = readFileSync(join(ROOT, path))
    if (bytes.subarray(0, 8192).includes(0)) continue
    const text = bytes.toString('utf8')
    for (const { what, pattern } of ELSEWHERE) {
      const index = text.search(pattern)
      if (index >= 0) fault(path, text.slice(0, index).split('\n').length, `names ${what}`)
    }
  }
}

const tracked = listTracked()
const scripts = JSON.parse(readText('package.json')).scripts ?? {}
for (const document of DOCUMENTS) {
  if (existsSync(join(ROOT, document))) checkDocument(document, tracked, scripts)
  else fault(document, 0, 'is missing')
}
checkVariables(tracked)
checkElsewhere(tracked)
for (const one of faults) console.error(one)
if (faults.length > 0) process.exitCode = 1
