import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const SCRIPT = fileURLToPath(new URL('../../scripts/check-docs.mjs', import.meta.url))
const README = [
  '# A box', '',
  'Read `src/domain/job.ts`, `domain/job.ts`, `job.ts` and [the map](src/README.md). It is built on `whisper.cpp` and `Node.js`.',
  'Send `audio/wav` to `/api/v1/media`; files lie in `data/media`. Run `npm test` or `npm run lint`.', '',
  '```sh', 'npm start', 'node src/main.ts --help', 'curl -T talk.mp3 http://127.0.0.1:8080/api/v1/media', '```', '',
  'Set `STENOBOX_PORT`. The names are in [a list](docs/configuration.md#the-list-of-names).', ''
].join('\n')
const CONFIGURATION = [
  '# Configuration', '', '[Up](../README.md), and [below](#the-list-of-names).', '', '## The list of names!', '',
  '- `STENOBOX_PORT` (default `8080`): the port', '- `STENOBOX_SECRET`, `STENOBOX_SECRET_FILE`: a secret', ''
].join('\n')
const CLEAN = {
  'README.md': README,
  'CHANGELOG.md': '# Changes\n',
  'package.json': JSON.stringify({ scripts: { start: 'node .', test: 'tap', lint: 'eslint .' } }),
  docs: { 'configuration.md': CONFIGURATION },
  src: {
    'README.md': `See \`main.ts\` and \`domain/\`.\n\n<!-- table:start -->\n| ${'x'.repeat(150)} |\n<!-- table:end -->\n`,
    'main.ts': '',
    'config.ts': "read('STENOBOX_PORT'); read('STENOBOX_SECRET')\n",
    domain: { 'job.ts': '' }
  }
}

function run (directory: string) {
  // A folder outside any repository: the script then looks at every file.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: directory, GIT_DIR: '/nowhere' }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, directory], { encoding: 'utf8', env })
  return { status, faults: stderr.trim().split('\n').filter(Boolean) }
}

t.test('documents that name what is there pass', async (t) => {
  t.same(run(t.testdir(CLEAN)), { status: 0, faults: [] })
})

const inDocs = (file: string, text: string) => ({ docs: { ...CLEAN.docs, [file]: text } })

const FAULTS: Array<[behaviour: string, change: object, fault: string | RegExp]> = [
  ['a path that is not there', { 'README.md': README.replace('`job.ts`', '`src/domain/jobs.ts`') },
    'README.md:3: there is no src/domain/jobs.ts'],
  ['a path in a code block', { 'README.md': README.replace('src/main.ts', 'src/nowhere') }, 'README.md:8: there is no src/nowhere'],
  ['a path in a document of docs', { docs: { ...CLEAN.docs, a: { 'b.md': 'Read `src/nowhere.ts`.\n' } } },
    'docs/a/b.md:1: there is no src/nowhere.ts'],
  ['a link that leads nowhere', { 'README.md': README.replace('(src/README.md)', '(src/MAP.md)') },
    'README.md:3: the link leads to src/MAP.md, which is not there'],
  ['a link to a heading that is not there', { 'README.md': README.replace('#the-list-of-names', '#names') },
    'README.md:12: docs/configuration.md has no heading #names'],
  ['a link to a missing heading of the same document', inDocs('configuration.md', CONFIGURATION.replace('(#the-list-of-names)', '(#top)')),
    'docs/configuration.md:3: docs/configuration.md has no heading #top'],
  ['an npm script that is not there', { 'README.md': README.replace('npm run lint', 'npm run fix') },
    'README.md:4: there is no npm script "fix"'],
  ['a variable that is not read', { 'README.md': README.replace('STENOBOX_PORT', 'STENOBOX_PROT') },
    'README.md: STENOBOX_PROT is read neither by src/config.ts nor by a script'],
  ['a variable of docs that is not read', inDocs('http.md', '`STENOBOX_PROT`\n'), 'docs/http.md: STENOBOX_PROT is read neither by'],
  ['a variable that is not described', inDocs('configuration.md', CONFIGURATION.replace('- `STENOBOX_PORT`', 'Also `STENOBOX_PORT`')),
    'src/config.ts: STENOBOX_PORT is not described in docs/configuration.md'],
  ['a long line', { 'README.md': `${README}\n${'ä'.repeat(141)}\n` }, 'README.md:14: has 141 columns; the limit is 140'],
  ['a long line in any other document', { models: { 'CARD.md': 'x'.repeat(150) } }, 'models/CARD.md:1: has 150 columns'],
  ['a large README', { 'README.md': README + 'word\n'.repeat(1800) }, /README\.md: has 9\d\d\d bytes; it must have fewer than 9000/],
  ['a missing document', { 'CHANGELOG.md': undefined }, 'CHANGELOG.md: is missing'],
  ['a folder outside the repository', { 'NOTES.txt': `see ..${'/'}shared/SPEC.md` }, 'NOTES.txt:1: names a folder outside the repository'],
  ['the machine it was written on', { 'NOTES.txt': `\ncd ${'/'}work/main` }, 'NOTES.txt:2: names a path of the machine it was written on'],
  ['the host of a registry', { 'package-lock.json': `{"resolved":"https://registry${'.'}npmjs${'.'}org/tap"}` },
    'package-lock.json:1: names the host of a package registry']
]

for (const [behaviour, change, expected] of FAULTS) {
  t.test(`${behaviour} is reported`, async (t) => {
    const folder = Object.fromEntries(Object.entries({ ...CLEAN, ...change }).filter(([, content]) => content !== undefined))
    const { status, faults } = run(t.testdir(folder))
    t.equal(faults.length, 1, faults.join('\n'))
    t.match(faults[0], expected)
    t.equal(status, 1)
  })
}
