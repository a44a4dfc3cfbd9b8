/**
 * Fails when a file in src imports what its layer may not, when two folders of a layer import each other, and when files import each
 * other in a circle. Types, re-exports, `import()` and `require` count too; type imports do not make a circle.
 * LAYERS below is the only copy of the rules; the table in src/README.md is compared with it.
 *
 *   node scripts/check-imports.mjs [SRC]      check this folder (default: src)
 *   node scripts/check-imports.mjs --table    print the table for src/README.md
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const ALL = '*'

/**
 * `src`: folders, root files or single files ("workers/protocol") this layer may import, besides itself. `packages`:
 * npm packages. `node`: Node's own modules that reach outside the process or its main thread.
 */
const LAYERS = {
  domain: { src: [], packages: ['ipaddr.js', 'typebox'], node: [] },
  formats: { src: ['domain'], packages: ['docx', 'fflate'], node: [] },
  disk: { src: [], packages: [], node: ['fs', 'fs/promises'] },
  store: {
    src: ['domain', 'disk', 'native'],
    packages: ['better-sqlite3', 'modern-tar', 'piscina'],
    node: ['fs', 'fs/promises', 'os', 'zlib']
  },
  native: { src: [], packages: [], node: ['fs', 'module'] },
  workers: {
    src: ['domain', 'native'],
    packages: ['@huggingface/transformers', 'onnxruntime-node'],
    node: ['fs', 'fs/promises', 'worker_threads', 'zlib']
  },
  engine: {
    src: ['domain', 'disk', 'workers/protocol'],
    packages: ['fast-xml-parser', 'jose', 'modern-tar', 'node-llama-cpp', 'piscina', 'typebox', 'undici'],
    node: ['child_process', 'fs', 'fs/promises', 'os', 'worker_threads', 'dns/promises', 'http', 'net', 'tls', 'zlib']
  },
  service: { src: ['domain', 'formats', 'store', 'engine'], packages: [], node: [] },
  work: { src: ['domain', 'service'], packages: [], node: [] },
  routes: {
    src: ['domain', 'service'],
    packages: ['@fastify/cookie', '@fastify/swagger', '@fastify/swagger-ui', '@fastify/type-provider-typebox', 'fastify', 'prom-client',
      'typebox'],
    node: ['http']
  },
  evaluate: {
    src: ['domain', 'engine/models', 'engine/speech'],
    packages: [],
    node: ['child_process', 'fs', 'fs/promises', 'net', 'os', 'readline']
  },
  wiring: { src: ['engine', 'service', 'store', 'work', 'config', 'logger'], packages: [], node: [] },
  cli: {
    src: ['domain', 'service', 'evaluate', 'wiring/tools', 'app', 'main', 'config', 'logger', 'model-tools'],
    packages: ['commander'],
    node: ['fs']
  },
  oauth: { src: ['domain', 'service'], packages: ['oidc-provider'], node: ['http'] },
  dashboard: {
    src: [],
    packages: ['@tanstack/react-query', '@tanstack/react-router', '@tanstack/react-virtual', '@vitejs/plugin-react', 'openapi-fetch',
      'react', 'react-aria-components', 'react-dom', 'vite'],
    node: []
  },
  'main.ts': { src: ['app', 'config', 'logger'], packages: [], node: [] },
  'app.ts': { src: [ALL], packages: [ALL], node: [ALL] },
  'model-tools.ts': { src: ['engine', 'service', 'store', 'config'], packages: [], node: [] },
  'config.ts': { src: ['config-oauth', 'config-options', 'domain'], packages: [], node: ['fs', 'os'] },
  'config-oauth.ts': { src: ['domain'], packages: [], node: [] },
  'config-options.ts': { src: ['domain'], packages: [], node: [] },
  'logger.ts': { src: [], packages: ['pino'], node: [] }
}

/** Modules of Node that only compute: open to every layer. */
const FREE = [
  'assert', 'async_hooks', 'buffer', 'crypto', 'events', 'path', 'perf_hooks', 'process',
  'stream', 'stream/promises', 'string_decoder', 'timers', 'timers/promises', 'url', 'util'
]
const READS_ENVIRONMENT = 'config.ts'
/** They hand parts of it to other programs, and have no settings of their own. */
const PASS_ENVIRONMENT_ON = ['engine/process.ts', 'evaluate/appliance.ts']
const START = '<!-- import-table:start -->'
const END = '<!-- import-table:end -->'

function renderTable () {
  const cell = (names, prefix = '') =>
    names.length === 0 ? '–' : names.map((name) => name === ALL ? 'all' : `\`${prefix}${name}\``).join(', ')
  const rows = Object.entries(LAYERS).map(([name, rule]) =>
    `| \`${name}\` | ${cell(rule.src)} | ${cell(rule.packages)} | ${cell(rule.node, 'node:')} |`)
  return [
    START,
    '| layer | may import from src | packages | modules of Node |',
    '| - | - | - | - |',
    ...rows,
    '',
    `Open to every layer: ${FREE.map((name) => `\`node:${name}\``).join(', ')}. Only \`${READS_ENVIRONMENT}\` reads the ` +
      `environment; ${PASS_ENVIRONMENT_ON.map((name) => `\`${name}\``).join(' and ')} pass parts of it on.`,
    END
  ].join('\n')
}

const isString = (node) => node !== undefined && ts.isStringLiteralLike(node)

/** The module a node names, `null` when it is computed, undefined when the node imports nothing. */
function moduleNamedBy (node) {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) return node.moduleSpecifier.text
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal.text
  if (ts.isExternalModuleReference(node)) return isString(node.expression) ? node.expression.text : null
  if (!ts.isCallExpression(node)) return undefined
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(node.expression) && node.expression.text === 'require')
  if (!isImport) return undefined
  return isString(node.arguments[0]) ? node.arguments[0].text : null
}

const isProcess = (node) => node !== undefined && ((ts.isIdentifier(node) && node.text === 'process') ||
  (ts.isPropertyAccessExpression(node) && node.name.text === 'process' && node.expression.getText() === 'globalThis'))

const namesEnv = (element) => (element.propertyName ?? element.name).getText() === 'env'

function readsEnvironment (node) {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) && node.name.text === 'env'
  if (ts.isElementAccessExpression(node)) {
    return isProcess(node.expression) && isString(node.argumentExpression) && node.argumentExpression.text === 'env'
  }
  if (ts.isVariableDeclaration(node)) {
    return isProcess(node.initializer) && ts.isObjectBindingPattern(node.name) && node.name.elements.some(namesEnv)
  }
  if (!ts.isImportDeclaration(node) || !/^(node:)?process$/.test(node.moduleSpecifier.text)) return false
  const named = node.importClause?.namedBindings
  return named !== undefined && ts.isNamedImports(named) && named.elements.some(namesEnv)
}

const isTypeOnly = (node) => {
  if (ts.isImportTypeNode(node)) return true
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  if (!ts.isImportDeclaration(node) || !node.importClause) return false
  const { isTypeOnly: isType, name, namedBindings } = node.importClause
  const isEachType = namedBindings && ts.isNamedImports(namedBindings) && namedBindings.elements.every((element) => element.isTypeOnly)
  return isType || (name === undefined && isEachType === true)
}

/**
 * Everything in one file that the rules are about: `{ line, name, isType }` for imports, `{ line, env: true }` for the environment.
 * `isType`: the compiler removes the import.
 */
function readFindings (path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const findings = []
  const visit = (node) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const name = moduleNamedBy(node)
    if (name !== undefined) findings.push({ line, name, isType: isTypeOnly(node) })
    if (readsEnvironment(node)) findings.push({ line, env: true })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return findings
}

const allows = (list, name) => list.some((entry) => entry === ALL || name === entry || name.startsWith(`${entry}/`))
const listed = (names) => names.length === 0 ? 'nothing' : names.join(', ')

/** The path in src that a relative import names, without its extension. */
const targetOf = (file, name) => posix.normalize(posix.join(posix.dirname(file), name)).replace(/\.(jsx?|tsx?)$/, '')

function checkRelative (file, layer, name) {
  const target = targetOf(file, name)
  if (target.startsWith('../')) return `${layer} imports ${name}, which is outside src`
  const owner = target.includes('/') ? target.split('/')[0] : `${target}.ts`
  if (owner === layer || allows(LAYERS[layer].src, target)) return
  return `${layer} may not import ${target} (may import: ${listed(LAYERS[layer].src)})`
}

function checkOutside (layer, name) {
  const bare = name.replace(/^node:/, '')
  if (name.startsWith('node:') || builtinModules.includes(bare)) {
    if (!name.startsWith('node:')) return `write node:${bare}, not ${name}`
    if (FREE.includes(bare) || allows(LAYERS[layer].node, bare)) return
    return `${layer} may not use ${name} (may use: ${listed(LAYERS[layer].node.map((one) => `node:${one}`))} and the free ones)`
  }
  const owner = name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')
  if (allows(LAYERS[layer].packages, owner)) return
  return `${layer} may not use the package ${owner} (may use: ${listed(LAYERS[layer].packages)})`
}

const layerOf = (file) => file.includes('/') ? file.split('/')[0] : file

function checkFile (file, findings) {
  const layer = layerOf(file)
  return findings.map(({ line, name, env }) => {
    const fault = () => {
      if (env) {
        return [READS_ENVIRONMENT, ...PASS_ENVIRONMENT_ON].includes(file)
          ? undefined
          : `only ${READS_ENVIRONMENT} may read the environment`
      }
      // The addon is found by a path that is computed once, in one place.
      if (name === null) return layer === 'native' ? undefined : 'import() and require() need a plain string'
      return name.startsWith('.') ? checkRelative(file, layer, name) : checkOutside(layer, name)
    }
    const message = fault()
    return message && `${file}:${line}: ${message}`
  }).filter(Boolean)
}

/** Every import of one file of src by another: `{ from, to, isType }`. */
function listEdges (files) {
  return [...files].flatMap(([from, findings]) => findings
    .filter(({ name }) => name?.startsWith('.'))
    .flatMap(({ name, isType }) => ['.ts', '.tsx'].map((ending) => ({ from, to: targetOf(from, name) + ending, isType })))
    .filter(({ to }) => files.has(to) && to !== from))
}

/** Folders of one layer that import each other. Between layers, LAYERS decides. */
function checkPairs (edges) {
  const examples = new Map()
  for (const { from, to } of edges) {
    const [a, b] = [posix.dirname(from), posix.dirname(to)]
    if (a !== b && layerOf(from) === layerOf(to) && !examples.has(`${a} ${b}`)) examples.set(`${a} ${b}`, `${from} imports ${to}`)
  }
  return [...examples].flatMap(([pair, example]) => {
    const [a, b] = pair.split(' ')
    const back = examples.get(`${b} ${a}`)
    return a < b && back !== undefined ? [`${a} and ${b} import each other: ${example}, ${back}`] : []
  })
}

/** Circles of imports that are more than types; one message for each circle found. */
function checkCircles (edges) {
  const next = new Map()
  for (const { from, to, isType } of edges) if (!isType) next.set(from, [...(next.get(from) ?? []), to])
  const [done, path, messages] = [new Set(), [], []]
  const visit = (file) => {
    const start = path.indexOf(file)
    if (start >= 0) messages.push(`${file}: imports itself through ${[...path.slice(start + 1), file].join(', ')}`)
    if (start >= 0 || done.has(file)) return
    path.push(file)
    for (const to of next.get(file) ?? []) visit(to)
    path.pop()
    done.add(file)
  }
  for (const file of next.keys()) visit(file)
  return messages
}

function checkPlaces (root) {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => !(entry.name in LAYERS) && entry.name !== 'README.md')
    .map((entry) =>
      `${entry.name}: no such ${entry.isDirectory() ? 'layer' : 'root file'}; LAYERS in scripts/check-imports.mjs names those there are`)
}

function checkReadme (root) {
  const file = join(root, 'README.md')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [start, end] = [text.indexOf(START), text.indexOf(END)]
  if (start < 0 || end < start) {
    return [`README.md: no import table between ${START} and ${END}; \`node scripts/check-imports.mjs --table\` prints it`]
  }
  const lines = (block) => block.split('\n').map((line) => line.replace(/\s+/g, ' ').trim()).filter(Boolean)
  const wanted = lines(renderTable())
  const found = lines(text.slice(start, end + END.length))
  const index = wanted.findIndex((line, i) => line !== found[i])
  if (index < 0 && found.length === wanted.length) return []
  return ['README.md: the import table is not the one in scripts/check-imports.mjs (`--table` prints it); first difference: ' +
    `${found[index < 0 ? wanted.length : index] ?? 'a line is missing'}`]
}

function check (root) {
  const files = readdirSync(root, { recursive: true })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => /\.[cm]?tsx?$/.test(file))
    .sort()
  const known = files.filter((file) => layerOf(file) in LAYERS)
  const findings = new Map(known.map((file) => [file, readFindings(file, readFileSync(join(root, file), 'utf8'))]))
  const edges = listEdges(findings)
  return [
    ...checkPlaces(root),
    ...known.flatMap((file) => checkFile(file, findings.get(file))),
    ...checkPairs(edges),
    ...checkCircles(edges),
    ...checkReadme(root)
  ]
}

if (process.argv[2] === '--table') {
  console.log(renderTable())
} else {
  const root = process.argv[2] ?? join(ROOT, 'src')
  const faults = check(root)
  for (const fault of faults) console.error(`${relative(process.cwd(), root) || '.'}/${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
