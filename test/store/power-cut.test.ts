/** What is synced before a part is acknowledged: a name survives a power cut only after a sync of the directory that holds it. */
import { mkdirSync, readlinkSync, realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import t from 'tap'
import type { Test } from 'tap'
import { createFiles } from '../../dist/store/files.js'

async function * bytes (): AsyncGenerator<Buffer> {
  yield Buffer.from('a part')
}

/** The paths that are synced from now on. */
async function watchSyncs (t: Test): Promise<string[]> {
  const handle = await open('/dev/null')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const synced: string[] = []
  const { sync } = prototype
  t.intercept(prototype, 'sync', {
    async value (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
      await sync.call(this)
    }
  })
  return synced
}

t.test('a part is acknowledged after syncing the file, its directory, and the directory that holds that one', async (t) => {
  const dataDir = realpathSync(t.testdir())
  const files = createFiles(dataDir)
  const synced = await watchSyncs(t)
  await files.prepare()
  t.ok(synced.includes(dataDir), 'the names of uploads and media')
  for (const isFirst of [true, false]) {
    // The second time, another request has created the directory, and may not have synced its name yet.
    if (!isFirst) mkdirSync(`${dataDir}/uploads/second`)
    const id = isFirst ? 'first' : 'second'
    synced.length = 0
    await files.writePart(id, 1, bytes(), 100)
    t.match(synced, [new RegExp(`/uploads/${id}/.*\\.tmp$`), `${dataDir}/uploads/${id}`, `${dataDir}/uploads`])
  }
})
