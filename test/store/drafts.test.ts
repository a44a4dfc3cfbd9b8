import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createFiles } from '../../dist/store/files.js'

const URL = 'https://user:hunter2@example.org/talk.mp3'

async function open (t: Test) {
  const directory = t.testdir()
  const files = createFiles(directory)
  await files.prepare()
  return { directory, files, drafts: files.drafts }
}

t.test('a draft continues where it ended, with the version that it is a part of', async (t) => {
  const { drafts } = await open(t)
  const first = await drafts.open(1, URL)
  t.strictSame([first.bytes(), first.version()], [0, undefined])
  await first.begin({ etag: '"1"' })
  await first.append(Buffer.from('abc'))
  await first.close()
  const second = await drafts.open(1, URL)
  t.strictSame([second.bytes(), second.version()], [3, { etag: '"1"' }])
  await second.append(Buffer.from('def'))
  await second.close()
  t.strictSame(await drafts.digest(1), { sizeBytes: 6, sha256: createHash('sha256').update('abcdef').digest('hex') })
})

t.test('a draft of another address, or without a readable note, starts over', async (t) => {
  const { directory, drafts } = await open(t)
  const first = await drafts.open(1, URL)
  await first.begin({ etag: '"1"' })
  await first.append(Buffer.from('abc'))
  await first.close()
  const other = await drafts.open(1, 'https://example.org/other')
  t.strictSame([other.bytes(), other.version()], [0, undefined])
  await other.close()
  await (await drafts.open(2, URL)).close()
  appendFileSync(`${directory}/work/2/source/part`, 'torn')
  writeFileSync(`${directory}/work/2/source/part.json`, '{"origin":')
  const torn = await drafts.open(2, URL)
  t.equal(torn.bytes(), 0)
  await torn.close()
})

t.test('no address is written beside a draft', async (t) => {
  const { directory, drafts } = await open(t)
  const draft = await drafts.open(1, URL)
  await draft.begin({ etag: '"1"' })
  await draft.close()
  const source = `${directory}/work/1/source`
  const written = readdirSync(source).map((name) => readFileSync(`${source}/${name}`, 'utf8')).join('')
  t.notMatch(written, /hunter2|example/)
})

t.test('a downloaded file becomes media, and the rest is removed', async (t) => {
  const { directory, files, drafts } = await open(t)
  const path = await drafts.makeDirectory(7)
  writeFileSync(`${path}/media`, 'sound')
  await drafts.writeNote(7, 'info.json', '{}')
  t.equal(await drafts.readNote(7, 'info.json'), '{}')
  t.equal(await drafts.readNote(7, 'format'), undefined)
  t.match(await drafts.digest(7, 'media'), { sizeBytes: 5 })
  await drafts.store(7, 'source-1', 'media')
  t.equal(readFileSync(files.mediaPath('source-1'), 'utf8'), 'sound')
  await drafts.remove(7)
  t.strictSame(readdirSync(`${directory}/work/7`), [])
})

t.test('no name leads out of the directory', async (t) => {
  const { drafts } = await open(t)
  await drafts.makeDirectory(1)
  await t.rejects(drafts.writeNote(1, '../../../x', ''), /leads out/)
  await t.rejects(drafts.store(1, '../x'), /leads out|ENOENT/)
})
