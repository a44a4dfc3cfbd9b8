/**
 * Fails when a document names something that does not exist: a path, a link, an npm script, an environment variable. Also
 * fails when a document has a line of more than 140 characters, when the README is too large, and when a tracked file
 * names a place that exists only on the machine where it was written.
 *
 *   node scripts/check-docs.mjs [ROOT]
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)))
const REQUIRED = ['README.md', 'src/README.md', 'CHANGELOG.md', 'docs/configuration.md']
/** Documents whose paths, scripts and links are checked. Lines are checked in every file that ends in .md. */
const DOCUMENT = /^(README|CHANGELOG|src\/README|docs\/.+)\.md$/
/** Where every variable of src/config.ts is described. */
const CONFIGURATION = 'docs/configuration.md'
const MAX_README_BYTES = 9000
const MAX_COLUMNS = 140
/** Created by set-up or at run time, so never in a checkout. */
const MADE = ['node_modules', 'dist', 'build', 'data', '.tap', 'coverage', '.git']
/** A bare name with one of these endings is a file of ours; `whisper.cpp` and `Node.js` are not. */
const OUR_ENDINGS = /\.(ts|mjs|md|sql|cc)$/
const NPM_SHORT = ['test', 'start', 'stop', 'restart']

const faults = []
const fault = (file, line, message) => faults.push(`${file}${line ? `:${line}` : ''}: ${message}`)
const readText = (path) => readFileSync(join(ROOT, path), 'utf8')

function listTracked () {
  try {
    const options = { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    const list = (...args) => execFileSync('git', ['ls-files', '-z', ...args], options).split('\0')
    return [...new Set([...list(), ...list('--others', '--exclude-standard')])].filter((path) => path && existsSync(join(ROOT, path)))
  } catch {
    // No git, or an archive of the sources: everything that set-up did not create.
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

/** The anchor that GitHub gives a heading. */
const toAnchor = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(' ', '-')

const anchorsOf = (text) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => toAnchor(heading))

function checkLinks (document, text, isThere) {
  for (const [index, content] of text.split('\n').entries()) {
    for (const [, target] of content.matchAll(/\]\(([^)\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [file, anchor] = target.split('#')
      const path = file === '' ? document : join(dirname(document), file).split(sep).join('/').replace(/\/$/, '')
      if (!isThere(path)) fault(document, index + 1, `the link leads to ${path}, which is not there`)
      else if (anchor && !anchorsOf(readText(path)).includes(anchor)) fault(document, index + 1, `${path} has no heading #${anchor}`)
    }
  }
}

function checkDocument (document, tracked, scripts) {
  const text = readText(document)
  const home = dirname(document) === '.' ? '' : `${dirname(document)}/`
  const folders = new Set(tracked.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))))
  const names = new Set(tracked.map((path) => path.split('/').at(-1)))
  const inSource = tracked.filter((path) => path.startsWith('src/')).map((path) => path.slice(4))
  const topNames = new Set([...tracked, ...inSource].map((path) => path.split('/')[0]))
  const isThere = (path) => tracked.includes(path) || folders.has(path)
  for (const { line, code, fenced } of codeIn(text)) {
    checkScripts(document, line, code, scripts)
    for (const path of pathsIn(code, fenced, topNames)) {
      if (MADE.includes(path.split('/')[0])) continue
      const places = ['', home, 'src/', 'test/', 'scripts/'].flatMap((place) => [place + path, `${place}${path}.ts`])
      if (!places.some(isThere) && !names.has(path)) fault(document, line, `there is no ${path}`)
    }
  }
  checkLinks(document, text, isThere)
}

// ---------------------------------------------------------------- sizes

/** Blocks between `<!-- name:start -->` and `<!-- name:end -->` are written by programs, and tables in them cannot be wrapped. */
function checkLines (document) {
  let generated = false
  for (const [index, line] of readText(document).split('\n').entries()) {
    if (/^<!-- .*:start -->$/.test(line)) generated = true
    if (/^<!-- .*:end -->$/.test(line)) generated = false
    const columns = [...line].length
    if (!generated && columns > MAX_COLUMNS) fault(document, index + 1, `has ${columns} columns; the limit is ${MAX_COLUMNS}`)
  }
}

function checkSize (path, maxBytes) {
  if (!existsSync(join(ROOT, path))) return
  const { size } = statSync(join(ROOT, path))
  if (size >= maxBytes) fault(path, 0, `has ${size} bytes; it must have fewer than ${maxBytes}`)
}

// ---------------------------------------------------------------- environment variables

const variablesIn = (text) => new Set(text.match(/\bSTENOBOX_[A-Z0-9]+(_[A-Z0-9]+)*\b/g) ?? [])

/** Variables that a list item or a table row of the document begins with. */
const describedIn = (text) => variablesIn(text.split('\n').filter((line) => /^\s*[-*|] ?`STENOBOX_/.test(line)).join('\n'))

function checkVariables (documents, tracked) {
  if (!existsSync(join(ROOT, 'src/config.ts')) || !existsSync(join(ROOT, CONFIGURATION))) return
  const configured = variablesIn(readText('src/config.ts'))
  const described = describedIn(readText(CONFIGURATION))
  // A few variables control the build or the evaluation. Programs outside the appliance read them.
  const programs = tracked.filter((path) => /^(scripts|bench|src\/evaluate)\/[\w/-]+\.(mjs|ts)$/.test(path))
  const ofPrograms = variablesIn(programs.map(readText).join('\n'))
  const isRead = (name) => [name, name.replace(/_FILE$/, '')].some((one) => configured.has(one) || ofPrograms.has(one))
  for (const document of documents) {
    for (const name of variablesIn(readText(document))) {
      if (!isRead(name)) fault(document, 0, `${name} is read neither by src/config.ts nor by a script`)
    }
  }
  for (const name of configured) {
    if (described.has(name) || described.has(name.replace(/_FILE$/, ''))) continue
    fault('src/config.ts', 0, `${name} is not described in ${CONFIGURATION}`)
  }
}

// ---------------------------------------------------------------- places that exist only elsewhere

// Written so that no pattern matches itself. The address of PyPI is allowed: pip asks it by default.
const ELSEWHERE = [
  {
    what: 'a path of the machine it was written on',
    pattern: /(?<![\w.~'"`}-])[/]work(?![\w-])|(?<![\w.~}-])[/]work[/](main|shared|[.]\w)/
  },
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
const documents = tracked.filter((path) => DOCUMENT.test(path))
for (const document of REQUIRED) if (!documents.includes(document)) fault(document, 0, 'is missing')
for (const document of documents) checkDocument(document, tracked, scripts)
for (const document of tracked.filter((path) => path.endsWith('.md'))) checkLines(document)
checkSize('README.md', MAX_README_BYTES)
checkVariables(documents, tracked)
checkElsewhere(tracked)
for (const one of faults) console.error(one)
if (faults.length > 0) process.exitCode = 1
