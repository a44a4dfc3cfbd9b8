import t from 'tap'
import { findPackageFile } from '../../../dist/engine/models/package-index.js'
import { allowing } from '../../support/address-tricks.ts'
import { makeFetcher } from '../../support/fetcher.ts'
import { startServer } from '../../support/model-server.ts'
import type { Seen } from '../../support/model-server.ts'

const FILE = 'big_model-1.0-py3-none-any.whl'
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json'

t.test('a wheel is found by its file name, in JSON and in HTML', async (t) => {
  const pages: Record<string, [string, string]> = {
    '/json/big-model/': [
      JSON_TYPE,
      JSON.stringify({ files: [{ filename: 'other.whl', url: 'http://x.example/1' }, { filename: FILE, url: '../../files/a%20b.whl' }] })
    ],
    '/html/big-model/': [
      'text/html',
      '<!DOCTYPE html><a href="/o">other.whl</a><br/>\n' +
        `<a data-requires-python="&gt;=3" href="https://files.example/x.whl?a=1&amp;b=2#sha256=abc">${FILE}</a>`
    ]
  }
  const server = await startServer(t, ({ url }, response) => {
    const [type, text] = pages[url] ?? ['text/plain', '']
    response.writeHead(text ? 200 : 404, { 'content-type': type }).end(text)
  })
  const fetcher = makeFetcher(t, { allow: allowing('127.0.0.1', '127.0.0.1:9') })
  t.equal((await findPackageFile(fetcher, new URL(`${server.url}/json/`), 'big-model', FILE)).href, `${server.url}/files/a%20b.whl`)
  t.equal((await findPackageFile(fetcher, new URL(`${server.url}/html`), 'big-model', FILE)).href, 'https://files.example/x.whl?a=1&b=2')
  await t.rejects(findPackageFile(fetcher, new URL(`${server.url}/json`), 'small-model', FILE), {
    message: /does not have small-model \(status 404\)/
  })
  await t.rejects(findPackageFile(fetcher, new URL(`${server.url}/json`), 'big-model', 'no.whl'), { message: /does not have no\.whl/ })
})

t.test('name and password of the index go to the index, and to files on the same host only', async (t) => {
  const seen: Seen[] = []
  const server = await startServer(t, (asked, response) => {
    seen.push(asked)
    response.writeHead(200, { 'content-type': JSON_TYPE }).end(
      JSON.stringify({ files: [{ filename: FILE, url: '/own.whl' }, { filename: 'far.whl', url: 'https://far.example/far.whl' }] })
    )
  })
  const fetcher = makeFetcher(t, { allow: allowing('127.0.0.1', '127.0.0.1:9') })
  const index = new URL(server.url.replace('//', '//anna:secret@'))
  t.match(await findPackageFile(fetcher, index, 'big-model', FILE), { username: 'anna', password: 'secret' })
  t.match(await findPackageFile(fetcher, index, 'big-model', 'far.whl'), { username: '', password: '' })
  t.equal(seen[0]?.authorization, `Basic ${Buffer.from('anna:secret').toString('base64')}`)
})

t.test('an index that is away, or answers nonsense, is one sentence', async (t) => {
  const server = await startServer(t, ({ url }, response) => {
    if (url.startsWith('/broken')) response.writeHead(503).end()
    else response.writeHead(200, { 'content-type': JSON_TYPE }).end('{"files": "none"}')
  })
  const fetcher = makeFetcher(t, { allow: allowing('127.0.0.1', '127.0.0.1:9') })
  await t.rejects(findPackageFile(fetcher, new URL(server.url), 'big-model', FILE), {
    name: 'ModelError', message: /answers with something other than a list of files/
  })
  await t.rejects(findPackageFile(fetcher, new URL(`${server.url}/broken`), 'big-model', FILE), {
    name: 'ModelError', message: /status 503/
  })
  await t.rejects(findPackageFile(fetcher, new URL('http://127.0.0.1:9/simple'), 'big-model', FILE), {
    name: 'ModelError', message: /the package index cannot be queried: 127\.0\.0\.1:9 refuses the connection/
  })
})
