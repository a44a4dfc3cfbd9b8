import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const SCRIPT = fileURLToPath(new URL('../../scripts/check-docs.mjs', import.meta.url))
const README = [
  '# A box', '',
  'Read `src/domain/job.ts`, `domain/job.ts`, `job.ts` and [the map](src/README.md). It is built on `whisper.cpp` and `Node.js`.',
  'Send `audio/wav` to `/api/v1/media`; files lie in `data/media`. Run `npm test` or `npm run lint`.', '',
  '```sh', 'npm start', 'node src/main.ts --help', 'curl -T talk.mp3 http://127.0.0.1:8080/api/v1/media', '```', '',
  '| variable | default |', '| - | - |', '| `STENOBOX_PORT` | 8080 |', '| `STENOBOX_SECRET`, `STENOBOX_SECRET_FILE` | – |', ''
].join('\n')
const CLEAN = {
  'README.md': README,
  'CHANGELOG.md': '# Changes\n',
  'package.json': JSON.stringify({ scripts: { start: 'node .', test: 'tap', lint: 'eslint .' } }),
  src: {
    'README.md': 'See `main.ts` and `domain/`.\n',
    'main.ts': '',
    'config.ts': "read('STENOBOX_PORT'); read('STENOBOX_SECRET')\n",
    domain: { 'job.ts': '' }
  }
}

function run (directory: string) {
  // A folder outside any repository of its own: the script then looks at every file.
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, directory], { encoding: 'utf8', env: { ...process.env, GIT_CEILING_DIRECTORIES: directory, GIT_DIR: '/nowhere' } })
  return { status, faults: stderr.trim().split('\n').filter(Boolean) }
}

t.test('documents that name what is there pass', async (t) => {
  t.same(run(t.testdir(CLEAN)), { status: 0, faults: [] })
})

const FAULTS: Array<[behaviour: string, change: object, fault: string]> = [
  ['a path that is not there', { 'README.md': README.replace('`job.ts`', '`src/domain/jobs.ts`') }, 'README.md:3: there is no src/domain/jobs.ts'],
  ['a path in a code block', { 'README.md': README.replace('src/main.ts', 'src/nowhere') }, 'README.md:8: there is no src/nowhere'],
  ['a link that leads nowhere', { 'README.md': README.replace('(src/README.md)', '(src/MAP.md)') }, 'README.md:3: the link leads to src/MAP.md, which is not there'],
  ['an npm script that is not there', { 'README.md': README.replace('npm run lint', 'npm run fix') }, 'README.md:4: there is no npm script "fix"'],
  ['a variable that is not read', { 'README.md': README.replace('STENOBOX_PORT', 'STENOBOX_PROT') }, 'STENOBOX_PROT is read neither by src/config.ts nor by a script'],
  ['a variable missing from the table', { 'README.md': README.replace('| `STENOBOX_PORT` | 8080 |\n', '') }, 'src/config.ts: STENOBOX_PORT is not in the table of README.md'],
  ['a folder outside the repository', { 'NOTES.txt': `see ..${'/'}shared/SPEC.md` }, 'NOTES.txt:1: names a folder outside the repository'],
  ['the place it was written at', { 'NOTES.txt': `\ncd ${'/'}work/main` }, 'NOTES.txt:2: names a path of the place it was written at'],
  ['the host of a registry', { 'package-lock.json': `{"resolved":"https://registry${'.'}npmjs${'.'}org/tap"}` }, 'package-lock.json:1: names the host of a package registry']
]

for (const [behaviour, change, expected] of FAULTS) {
  t.test(`${behaviour} is reported`, async (t) => {
    const { status, faults } = run(t.testdir({ ...CLEAN, ...change }))
    t.match(faults.join('\n'), expected)
    t.equal(status, 1)
  })
}
