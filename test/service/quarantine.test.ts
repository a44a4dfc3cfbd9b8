/** Media files that the database does not know. */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { createQuarantine } from '../../dist/service/quarantine.js'
import { callerOf, openSubmit } from '../support/submit.ts'

const DAY_MS = 24 * 3600_000

async function open (t: Test) {
  const opened = await openSubmit(t)
  const warnings: object[] = []
  const { media, files, clock, dataDir } = opened
  const log = { warn: (fields: object) => { warnings.push(fields) } }
  return {
    ...opened,
    warnings,
    quarantine: createQuarantine({ media, files, now: clock.now, log }),
    /** A media file that is as old as the clock says. */
    addFile (name: string, bytes: string): void {
      writeFileSync(`${dataDir}/media/${name}`, bytes)
      utimesSync(`${dataDir}/media/${name}`, clock.now() / 1000, clock.now() / 1000)
    }
  }
}

t.test('recordings that an older database does not know are kept for a week', async (t) => {
  const { begin, send, service, owner, clock, quarantine, warnings, addFile, list, dataDir } = await open(t)
  const { id } = await begin(Buffer.alloc(100))
  await send(id, Buffer.alloc(100), 1)
  await service.complete(id, callerOf(owner), undefined)
  addFile('upload-newer', 'a recording')
  clock.advance(60_000)
  await quarantine.sweep()
  t.strictSame(list('media').length, 2, 'a young file stays: its row may be about to be written')
  t.strictSame(warnings, [])
  clock.advance(DAY_MS)
  await quarantine.sweep()
  t.strictSame(list('media'), [`upload-${id}`], 'what has a row stays')
  t.equal(readFileSync(`${dataDir}/quarantine/upload-newer`, 'utf8'), 'a recording')
  t.strictSame(warnings, [{ files: 1, days: 7 }])
  clock.advance(7 * DAY_MS - 60_000)
  await quarantine.sweep()
  t.strictSame(list('quarantine'), ['upload-newer'])
  clock.advance(120_000)
  await quarantine.sweep()
  t.strictSame(list('quarantine'), [])
  t.equal(warnings.length, 1)
})

t.test('a file whose row says that it is not needed is removed', async (t) => {
  const { media, owner, clock, quarantine, addFile, list } = await open(t)
  const id = media.insert({ ownerId: owner, file: 'upload-1', sizeBytes: 1, sha256: '0'.repeat(64) }, 0)
  addFile('upload-1', 'x')
  t.match(media.expire(id, false), { state: 'removed' })
  clock.advance(2 * DAY_MS)
  await quarantine.sweep()
  t.strictSame(list('media'), [])
  t.strictSame(list('quarantine'), [])
})
