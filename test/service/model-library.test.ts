import { closeSync, existsSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { tryLock } from '../../dist/store/work-lock.js'
import { createLibrary, modelEntry, modelManifest } from '../support/model-library.ts'
import { makeBytes, messageOf, serveBytes, sha1Of, sha256Of, startProxy, startServer } from '../support/model-server.ts'

const HUB = 'https://huggingface.co/org/repo/resolve/main'

/** A hub that has these files, answers HEAD with its record, and sends the bytes from elsewhere. */
async function startHub (t: Test, files: Record<string, Buffer>, recordOf: (bytes: Buffer) => string = sha256Of) {
  const store = await startServer(t, (seen, response) => { serveBytes(seen, response, files[seen.url.slice(1)] ?? Buffer.alloc(0)) })
  return await startServer(t, (seen, response) => {
    const name = seen.url.split('/').at(-1) ?? ''
    const bytes = files[name]
    if (!bytes) response.writeHead(404).end()
    else {
      response
        .writeHead(302, { location: `${store.url}/${name}`, 'x-linked-etag': `"${recordOf(bytes)}"`, 'x-linked-size': bytes.length })
        .end()
    }
  })
}

t.test('a model is fetched from the mirror, verified by SHA-1, and pinned by SHA-256', async (t) => {
  const bytes = makeBytes()
  const hub = await startHub(t, { 'a.bin': bytes })
  const mirror = hub.url.replace('http://', 'http://me:hunter2@') + '/mirror'
  const { library, watcher, dir, left, pins, said } = createLibrary(
    t,
    modelManifest([modelEntry('a', { url: `${HUB}/a.bin`, sha1: sha1Of(bytes), bytes: bytes.length })]),
    { mirror }
  )
  await library.pull(['a'], watcher)
  t.ok(readFileSync(`${dir}/a.bin`).equals(bytes))
  t.strictSame(
    hub.seen.map(({ method, url }) => [method, url]),
    [['GET', '/mirror/org/repo/resolve/main/a.bin']],
    'nobody was asked for a record'
  )
  t.match(hub.seen[0]?.authorization, /^Basic /)
  t.strictSame(pins(), {
    a: {
      file: 'a.bin',
      bytes: bytes.length,
      sha256: sha256Of(bytes),
      source: `${hub.url}/mirror/org/repo/resolve/main/a.bin`,
      pinnedAt: '2026-01-01T00:00:00.000Z'
    }
  })
  t.strictSame(left(), ['a.bin', 'models.lock.json'])
  t.notMatch(said.join() + readFileSync(`${dir}/models.lock.json`, 'utf8'), /hunter2/)
  await library.pull(['a'], watcher)
  t.equal(hub.seen.length, 1, 'what is right is not fetched again')
  t.match(said.at(-1), /is already installed/)
})

t.test('without a checksum in the manifest, the record of the hub is believed once, and pinned', async (t) => {
  const files = { 'a.bin': makeBytes() }
  const hub = await startHub(t, files)
  const { library, watcher, dir, lock } = createLibrary(t, modelManifest([modelEntry('a', { url: `${HUB}/a.bin` })]), { mirror: hub.url })
  await library.pull(['a'], watcher)
  t.equal(lock.find(modelEntry('a'))?.sha256, sha256Of(files['a.bin']))
  const old = files['a.bin']
  files['a.bin'] = makeBytes()
  await t.rejects(library.pull(['a'], watcher), {
    message: /is now a different file from the one pinned on 2026-01-01; .*models remove a` first/
  })
  t.ok(readFileSync(`${dir}/a.bin`).equals(old))
  await library.remove(['a'])
  await library.pull(['a'], watcher)
  t.equal(lock.find(modelEntry('a'))?.sha256, sha256Of(files['a.bin']), 'a person may accept the new one')
})

t.test('bytes that are not what the record says are deleted', async (t) => {
  const hub = await startHub(t, { 'a.bin': makeBytes() }, () => 'ab'.repeat(32))
  const { library, watcher, left } = createLibrary(t, modelManifest([modelEntry('a', { url: `${HUB}/a.bin` })]), { mirror: hub.url })
  await t.rejects(library.pull(['a'], watcher), { message: /a\.bin does not match its published checksum/ })
  t.strictSame(left(), [])
})

t.test('a file without any known checksum is not fetched', async (t) => {
  const bytes = makeBytes(100)
  const plain = await startServer(t, (seen, response) => { serveBytes(seen, response, bytes) })
  const { library, watcher, left, lock } = createLibrary(t, modelManifest([modelEntry('a', { url: `${HUB}/a.bin` })]), {
    mirror: plain.url
  })
  await t.rejects(library.pull(['a'], watcher), { message: /neither the manifest nor .* has a checksum of a\.bin.*sha256/ })
  t.ok(plain.seen.every(({ method }) => method === 'HEAD'))
  await lock.put({ a: { file: 'a.bin', bytes: 100, sha256: sha256Of(bytes), source: 'x', pinnedAt: '2026-01-01' } })
  await library.pull(['a'], watcher)
  t.strictSame(left(), ['a.bin', 'models.lock.json'], 'a pin vouches for it')
})

t.test('a damaged model is fetched again; one copied by hand is pinned', async (t) => {
  const bytes = makeBytes()
  const hub = await startHub(t, { 'a.bin': bytes })
  const entry = modelEntry('a', { url: `${HUB}/a.bin`, sha1: sha1Of(bytes) })
  const { library, watcher, dir, said, lock } = createLibrary(t, modelManifest([entry]), { mirror: hub.url, files: { 'a.bin': bytes } })
  await library.pull(['a'], watcher)
  t.equal(hub.seen.length, 0)
  t.match(lock.find(entry), { sha256: sha256Of(bytes), source: 'found in the directory' })
  writeFileSync(`${dir}/a.bin`, 'damaged')
  await library.pull(['a'], watcher)
  t.match(said, [
    /is already installed/, /does not match its published checksum.*downloading it again/, /^a is installed: 300000 bytes, SHA-256 /
  ])
  t.ok(readFileSync(`${dir}/a.bin`).equals(bytes))
})

t.test('a proxy is used', async (t) => {
  const bytes = makeBytes()
  const hub = await startHub(t, { 'a.bin': bytes })
  const proxy = await startProxy(t)
  const manifest = modelManifest([modelEntry('a', { url: `${HUB}/a.bin`, sha256: sha256Of(bytes) })])
  const { library, watcher } = createLibrary(t, manifest, { mirror: hub.url, proxy: { http: proxy.url, except: '' } })
  await library.pull(['a'], watcher)
  t.match(proxy.seen, [/^GET http:.*\/resolve\/main\/a\.bin$/, /^GET http:.*\/a\.bin$/])
})

t.test('offline, nothing is asked for', async (t) => {
  const hub = await startHub(t, {})
  const { library, watcher } = createLibrary(t, modelManifest([modelEntry('a', { url: `${HUB}/a.bin` })]), {
    mirror: hub.url,
    offline: true
  })
  await t.rejects(library.pull(['a'], watcher), { name: 'ModelError', message: /STENOBOX_OFFLINE/ })
  t.equal(hub.seen.length, 0)
})

t.test('of two commands at once, the second is refused with a reason', async (t) => {
  const { library, watcher, dir, left } = createLibrary(t, modelManifest([modelEntry('a', { url: `${HUB}/a.bin`, sha1: 'ab'.repeat(20) })]))
  const held = tryLock(`${dir}/models.busy`)
  for (const attempt of [() => library.pull(['a'], watcher), () => library.remove(['a'])]) {
    t.match(await messageOf(attempt()), /another `stenobox models` command is writing/)
  }
  held?.release()
  t.match(await library.remove(['a']), ['a was not installed'])
  t.strictSame(left(), [])
})

t.test('a full disk and a missing file are one sentence', async (t) => {
  const bytes = makeBytes()
  const hub = await startHub(t, { 'a.bin': bytes })
  const manifest = modelManifest([
    modelEntry('a', { url: `${HUB}/a.bin`, sha1: sha1Of(bytes) }),
    modelEntry('b', { url: `${HUB}/b.bin`, sha1: sha1Of(bytes) }),
    modelEntry('c')
  ])
  const { library, watcher, left } = createLibrary(t, manifest, { mirror: hub.url, freeBytes: async () => 10 })
  t.match(await messageOf(library.pull(['a'], watcher)), /^ModelError: the disk of [^\n]* has 10 bytes free, and 293\.0 KiB are needed/)
  t.match(await messageOf(library.pull(['b'], watcher)), /b\.bin is not there \(status 404\)$/)
  t.match(await messageOf(library.pull(['c'], watcher)), /the manifest has no address for c, .*stenobox models add$/)
  t.strictSame(left(), [])
})

t.test('names resolve to models and sets, and typos get suggestions', async (t) => {
  const bytes = makeBytes(10)
  const names = ['small', 'base', 'large']
  const hub = await startHub(t, Object.fromEntries(names.map((name) => [`${name}.bin`, bytes])))
  const models = names.map((name) => modelEntry(name, { url: `${HUB}/${name}.bin`, sha1: sha1Of(bytes) }))
  const sets = {
    small: { models: ['base', 'small'], for: 'small boxes' },
    best: { models: ['large', 'small'], for: 'big boxes' },
    odd: { models: ['gone'], for: 'nobody' }
  }
  const { library, watcher, left } = createLibrary(t, modelManifest(models, { sets }), { mirror: hub.url })
  await library.pull(['small'], watcher)
  t.strictSame(left(), ['models.lock.json', 'small.bin'], 'a model comes before a set of its name')
  await library.pull(['set:small', 'best', 'base'], watcher)
  t.strictSame(left(), ['base.bin', 'large.bin', 'models.lock.json', 'small.bin'])
  t.equal(hub.seen.length, 3, 'none twice')
  for (const [name, message] of [
    ['smal', /did you mean small or set:small\?/],
    ['whatever', /see: stenobox models list/],
    ['set:best2', /did you mean set:best\?/],
    ['odd', /the set odd contains a model/],
    ['__proto__', /there is no model or set/]
  ] as const) {
    await t.rejects(library.pull(['base', name], watcher), { name: 'ModelError', message }, name)
  }
})

t.test('the list says what is there and what uses it', async (t) => {
  const starter = modelEntry('starter', {
    file: 'starter/ggml-starter-q5_0.bin',
    bundled: true,
    licence: 'Apache-2.0',
    bytes: 12_376_833,
    languages: ['en']
  })
  const manifest = modelManifest(
    [starter, modelEntry('a', { bytes: 4, url: `${HUB}/a.bin`, note: 'fine' }), modelEntry('b', { approximateBytes: 1000 })],
    { sets: { all: { models: ['a', 'starter'], for: 'all' }, b: { models: ['b'], for: 'b' } } }
  )
  manifest.quality.fast.models = ['b', 'a']
  manifest.quality.accurate.models = ['b']
  const { library } = createLibrary(t, manifest, { files: { 'a.bin': 'good' } })
  const { models, sets, unlisted } = await library.list()
  t.strictSame(unlisted, [])
  t.strictSame(models, [
    {
      name: 'starter', kind: 'whisper', bytes: 12_376_833, licence: 'Apache-2.0', languages: ['en'], state: 'installed', installed: true,
      bundled: true, added: false, qualities: [], usedFor: [], makesArtifacts: false, tellsSpeakers: false, makesVectors: false
    },
    {
      name: 'a', kind: 'whisper', bytes: 4, licence: 'MIT', note: 'fine', state: 'installed', installed: true, bundled: false, added: false,
      qualities: ['fast'], usedFor: ['fast', 'balanced', 'accurate'], makesArtifacts: false, tellsSpeakers: false, makesVectors: false
    },
    {
      name: 'b', kind: 'whisper', approximateBytes: 1000, licence: 'MIT', state: 'absent', installed: false, bundled: false, added: false,
      qualities: ['fast', 'accurate'], usedFor: [], makesArtifacts: false, tellsSpeakers: false, makesVectors: false
    }
  ])
  t.strictSame(sets, [
    { name: 'all', for: 'all', models: ['a', 'starter'], installed: true, bytes: 12_376_837, licences: ['MIT', 'Apache-2.0'] },
    { name: 'b', for: 'b', models: ['b'], installed: false, bytes: 1000, licences: ['MIT'] }
  ])
})

t.test('verify says of each model what it was compared with', async (t) => {
  const bytes = Buffer.from('good')
  const manifest = modelManifest([
    modelEntry('a', { sha256: sha256Of(bytes) }),
    modelEntry('b', { sha1: sha1Of(bytes) }),
    modelEntry('c'),
    modelEntry('d', { bytes: 5 }),
    modelEntry('e'),
    modelEntry('f', { sha1: sha1Of(bytes) })
  ])
  const { library, lock } = createLibrary(t, manifest, {
    files: { 'a.bin': bytes, 'b.bin': bytes, 'c.bin': bytes, 'd.bin': bytes, 'f.bin': bytes }
  })
  await lock.put(
    Object.fromEntries(
      ['b', 'f'].map((name) => [
        name,
        {
          file: `${name}.bin`,
          bytes: 4,
          sha256: name === 'b' ? sha256Of(bytes) : 'ab'.repeat(32),
          source: 'x',
          pinnedAt: '2026-01-01T00:00:00.000Z'
        }
      ])
    )
  )
  t.match(await Array.fromAsync(library.verify([])), [
    { name: 'a', ok: true, detail: 'SHA-256 as in the manifest' },
    { name: 'b', ok: true, detail: 'SHA-1 as in the manifest, SHA-256 as pinned on 2026-01-01' },
    { name: 'c', ok: true, detail: /^not checked/ },
    { name: 'd', ok: false, detail: /has 4 bytes and not 5/ },
    { name: 'f', ok: false, detail: /is not the file that was pinned/ }
  ])
  t.strictSame(await Array.fromAsync(library.verify(['e'])), [{ name: 'e', ok: false, detail: 'is not installed' }])
})

t.test('remove deletes file, partial file and pin; a reader that has the file open continues', async (t) => {
  const entry = modelEntry('a', { file: 'deep/a.bin' })
  const { library, lock, dir, left } = createLibrary(t, modelManifest([entry, modelEntry('b')]), {
    files: { deep: { 'a.bin': 'good', 'a.bin.part': 'x', 'a.bin.part.json': '{}' } }
  })
  await lock.put({ a: { file: 'deep/a.bin', bytes: 4, sha256: sha256Of(Buffer.from('good')), source: 'x', pinnedAt: '2026-01-01' } })
  const open = openSync(`${dir}/deep/a.bin`, 'r')
  t.strictSame(await library.remove(['a', 'b']), ['a is removed', 'b was not installed'])
  t.strictSame(left(), ['deep', 'models.lock.json'])
  t.equal(lock.find(entry), undefined)
  t.equal(readSync(open, Buffer.alloc(4)), 4)
  closeSync(open)
})

t.test('the starter that comes with the program is not removed, a copy of it is', async (t) => {
  const starter = modelEntry('starter', { file: 'starter/ggml-starter-q5_0.bin', bundled: true })
  const { library, dir } = createLibrary(t, modelManifest([starter, modelEntry('a')]), { files: { 'a.bin': 'x' } })
  await t.rejects(library.remove(['a', 'starter']), { message: /comes with the program/ })
  t.ok(existsSync(`${dir}/a.bin`), 'nothing is removed when something may not be')
  const copied = createLibrary(t, modelManifest([starter]), { files: { starter: { 'ggml-starter-q5_0.bin': 'copy' } } })
  t.match(await copied.library.remove(['starter']), [/^starter is removed; another copy is in /])
})
