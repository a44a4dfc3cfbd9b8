import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { createModelLock, findFault } from '../../../dist/engine/models/lock.js'
import { createModels } from '../../../dist/engine/models/models.js'
import { modelEntry, modelManifest } from '../../support/model-library.ts'
import { sha1Of, sha256Of } from '../../support/model-server.ts'

const BYTES = Buffer.from('good')
const FACTS = { bytes: 4, sha256: sha256Of(BYTES), sha1: sha1Of(BYTES) }
const pinOf = (name: string, sha256 = FACTS.sha256) => ({
  file: `${name}.bin`,
  bytes: 4,
  sha256,
  source: 'http://x/',
  pinnedAt: '2026-01-02T03:04:05.000Z'
})

t.test('pins are kept in the order of their names, and can be taken back', async (t) => {
  const dir = t.testdir()
  const lock = createModelLock(dir)
  t.equal(lock.find(modelEntry('a')), undefined)
  await lock.put({ b: pinOf('b') })
  await lock.put({ a: pinOf('a') })
  t.strictSame(Object.keys((JSON.parse(readFileSync(`${dir}/models.lock.json`, 'utf8')) as { models: object }).models), ['a', 'b'])
  t.strictSame(lock.find(modelEntry('a')), pinOf('a'))
  t.equal(lock.find(modelEntry('a', { file: 'other.bin' })), undefined, 'a pin of another file does not count')
  t.equal(lock.find(modelEntry('constructor')), undefined)
  t.equal(await lock.remove('a'), true)
  t.equal(await lock.remove('a'), false)
  t.strictSame(lock.find(modelEntry('b')), pinOf('b'))
})

t.test('a damaged lock file is named, and not overwritten', async (t) => {
  for (const text of ['', '{', '[]', '{"version":2,"models":{}}', '{"version":1,"models":{"a":{"file":"a.bin"}}}']) {
    const dir = t.testdir({ 'models.lock.json': text })
    const lock = createModelLock(dir)
    t.throws(() => lock.find(modelEntry('a')), { name: 'ModelError', message: /models\.lock\.json is damaged/ })
    await t.rejects(lock.put({ a: pinOf('a') }), { message: /is damaged/ })
    t.equal(readFileSync(`${dir}/models.lock.json`, 'utf8'), text)
  }
})

t.test('what a file should be: the manifest first, then the pin', async (t) => {
  const other = 'ab'.repeat(32)
  t.equal(findFault(modelEntry('a'), undefined, FACTS), undefined)
  t.equal(
    findFault(modelEntry('a', { bytes: 4, sha256: FACTS.sha256, sha1: 'odd' }), pinOf('a', other), FACTS),
    undefined,
    'the manifest is newer than the pin'
  )
  t.equal(findFault(modelEntry('a', { sha1: FACTS.sha1 }), pinOf('a'), FACTS), undefined)
  t.match(findFault(modelEntry('a', { bytes: 5 }), undefined, FACTS), /has 4 bytes and not 5/)
  t.match(findFault(modelEntry('a', { sha256: other }), pinOf('a'), FACTS), /published checksum/)
  t.match(findFault(modelEntry('a', { sha1: 'odd' }), undefined, FACTS), /published checksum/)
  t.match(findFault(modelEntry('a', { sha1: FACTS.sha1 }), pinOf('a', other), FACTS), /pinned on 2026-01-02.*models remove a/)
})

t.test('doctor and verify see what differs from its pin', async (t) => {
  const dir = t.testdir({ 'manifest.json': JSON.stringify(modelManifest([modelEntry('a')])), 'a.bin': 'good' })
  await createModelLock(dir).put({ a: pinOf('a') })
  const models = createModels(dir)
  const [installed] = models.listInstalled()
  if (!installed) throw new Error('a is installed')
  t.equal(await models.verify(installed), undefined)
  writeFileSync(`${dir}/a.bin`, 'gooD')
  t.match(await models.verify(installed), /is not the file that was pinned/)
})
