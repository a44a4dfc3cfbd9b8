import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const SCRIPT = fileURLToPath(new URL('../../scripts/check-imports.mjs', import.meta.url))
const run = (argument: string) => spawnSync(process.execPath, [SCRIPT, argument], { encoding: 'utf8' })
const TABLE = run('--table').stdout

const CLEAN = {
  'README.md': `# Map\n\n${TABLE}\nMore text.\n`,
  'main.ts': "import { createApp } from './app.js'\ncreateApp()\n",
  'app.ts': "import { createJobs } from './store/jobs.js'\nimport fastify from 'fastify'\n" +
    'export const createApp = () => fastify({ jobs: createJobs() })\n',
  'config.ts': "import type { Job } from './domain/job.js'\nexport const port = process.env['STENOBOX_PORT']\nexport type J = Job\n",
  domain: {
    'job.ts': "import { Type } from 'typebox'\nimport { randomUUID } from 'node:crypto'\n" +
      'export type Job = { id: number }\nexport const x = [Type, randomUUID]\n'
  },
  store: {
    'jobs.ts': "import Database from 'better-sqlite3'\nimport { readFileSync } from 'node:fs'\nexport * from './rows.js'\n" +
      'export const createJobs = () => [Database, readFileSync]\n',
    'rows.ts': "export type Row = import('../domain/job.js').Job\n"
  },
  workers: { 'protocol.ts': 'export type Task = { id: number }\n' },
  engine: {
    'pool.ts': "import type { Task } from '../workers/protocol.js'\n" +
      "export const file = new URL('../workers/speech.js', import.meta.url)\nexport type T = Task\n"
  }
}

t.test('a tree that keeps the rules passes', async (t) => {
  const { status, stderr } = run(t.testdir(CLEAN))
  t.equal(stderr, '')
  t.equal(status, 0)
})

const VIOLATIONS: Array<[behaviour: string, path: string, text: string, message: string]> = [
  ['a value import', 'routes/fault-1.ts', "import { createJobs } from '../store/jobs.js'\n",
    'routes/fault-1.ts:1: routes may not import store/jobs (may import: domain, service)'],
  ['a type import', 'routes/fault-2.ts', "\nimport type { Row } from '../store/rows.js'\n",
    'routes/fault-2.ts:2: routes may not import store/rows'],
  ['a re-export', 'domain/fault-3.ts', "export { createJobs } from '../store/jobs.js'\n",
    'domain/fault-3.ts:1: domain may not import store/jobs'],
  ['a star re-export', 'domain/fault-4.ts', "export * from '../app.js'\n", 'domain/fault-4.ts:1: domain may not import app'],
  ['a dynamic import', 'service/fault-5.ts', "export const later = async () => await import(\n  '../routes/jobs.js'\n)\n",
    'service/fault-5.ts:1: service may not import routes/jobs'],
  ['an import type', 'formats/fault-6.ts', "export type R = import('../store/rows.js').Row\n",
    'formats/fault-6.ts:1: formats may not import store/rows'],
  ['a computed import', 'engine/fault-7.ts', 'export const later = async (name: string) => await import(name)\n',
    'engine/fault-7.ts:1: import() and require() need a plain string'],
  ['another file of a folder open only in part', 'engine/fault-8.ts', "import { x } from '../workers/speech.js'\n",
    'engine/fault-8.ts:1: engine may not import workers/speech'],
  ['the addon outside the workers', 'engine/fault-9.ts', "import type { Model } from '../native/addon.js'\n",
    'engine/fault-9.ts:1: engine may not import native/addon'],
  ['a package of another layer', 'service/fault-10.ts', "import type { FastifyRequest } from 'fastify'\n",
    'service/fault-10.ts:1: service may not use the package fastify'],
  ['a program started outside engine', 'service/fault-11.ts', "import { spawn } from 'node:child_process'\n",
    'service/fault-11.ts:1: service may not use node:child_process'],
  ['a module of Node without its prefix', 'store/fault-12.ts', "import { readFileSync } from 'fs'\n",
    'store/fault-12.ts:1: write node:fs, not fs'],
  ['a read of the environment', 'service/fault-13.ts', "export const home = process.env['HOME']\n",
    'service/fault-13.ts:1: only config.ts may read the environment'],
  ['an imported environment', 'engine/fault-14.ts', "import { env } from 'node:process'\nexport { env }\n",
    'engine/fault-14.ts:1: only config.ts may read the environment'],
  ['a file outside src', 'config.ts', "import { x } from '../scripts/x.js'\n",
    'config.ts:1: config.ts imports ../scripts/x.js, which is outside src'],
  ['an unknown folder', 'utils/text.ts', 'export {}\n', 'utils: no such layer'],
  ['an unknown file at the root', 'helpers.ts', 'export {}\n', 'helpers.ts: no such root file']
]

/** All of them in one tree: the script takes longer to load the compiler than to check. */
function treeOfViolations () {
  const tree: Record<string, string | Record<string, string>> = structuredClone(CLEAN)
  for (const [, path, text] of VIOLATIONS) {
    const [folder = '', name] = path.split('/')
    const files = tree[folder]
    if (name === undefined) tree[folder] = text
    else tree[folder] = { ...(typeof files === 'object' ? files : {}), [name]: text }
  }
  return tree
}

t.test('every violation is reported, and nothing else', async (t) => {
  const { status, stderr } = run(t.testdir(treeOfViolations()))
  for (const [behaviour, , , message] of VIOLATIONS) t.match(stderr, message, `${behaviour} is refused`)
  t.equal(stderr.trim().split('\n').length, VIOLATIONS.length, stderr)
  t.equal(status, 1)
})

t.test('folders of a layer that import each other are refused', async (t) => {
  const routes = {
    'index.ts': "import { owners } from './admin/owners.js'\nexport const all = [owners]\n",
    'schemas.ts': 'export type Name = string\n',
    lib: { 'paging.ts': 'export const page = 1\n' },
    admin: {
      'owners.ts': "import type { Name } from '../schemas.js'\nimport { page } from '../lib/paging.js'\n" +
        'export const owners: [Name?] = [String(page)]\n'
    }
  }
  const { status, stderr } = run(t.testdir({ ...CLEAN, routes }))
  t.match(stderr, 'routes and routes/admin import each other: ' +
    'routes/index.ts imports routes/admin/owners.ts, routes/admin/owners.ts imports routes/schemas.ts')
  t.equal(stderr.trim().split('\n').length, 1, stderr)
  t.equal(status, 1)
})

t.test('files that import each other in a circle are refused; imports of types only are not', async (t) => {
  const circle = {
    'a.ts': "import { b } from './b.js'\nexport const a = () => b\n",
    'b.ts': "export * from './c.js'\nexport const b = 1\n",
    'c.ts': "import { a } from './a.js'\nexport const c = a\n"
  }
  const types = {
    'd.ts': "import type { E } from './e.js'\nexport type D = E\n",
    'e.ts': "import { type D, type D2 } from './d.js'\nimport { f } from './f.js'\nexport type E = D | D2 | typeof f\n",
    'f.ts': "export type { E } from './e.js'\nexport type F = import('./d.js').D\nexport const f = 1\n"
  }
  const { status, stderr } = run(t.testdir({ ...CLEAN, formats: { ...circle, ...types } }))
  t.match(stderr, 'formats/a.ts: imports itself through formats/b.ts, formats/c.ts, formats/a.ts')
  t.equal(stderr.trim().split('\n').length, 1, stderr)
  t.equal(status, 1)
})

t.test('a README without the table, or with another one, is refused', async (t) => {
  const missing = run(t.testdir({ ...CLEAN, 'README.md': '# Map\n' }))
  t.match(missing.stderr, 'README.md: no import table')
  t.equal(missing.status, 1)
  const other = run(t.testdir({ ...CLEAN, 'README.md': TABLE.replace('| `work` | `domain`', '| `work` | `store`') }))
  t.match(other.stderr, 'README.md: the import table is not the one in scripts/check-imports.mjs')
  t.equal(other.status, 1)
})
