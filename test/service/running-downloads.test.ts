import t from 'tap'
import type { Test } from 'tap'
import { createRunningDownloads } from '../../dist/service/running-downloads.js'
import { openSubmit } from '../support/submit.ts'

/** A disk of which 4000 bytes may be used. Owners who made a request count as others; what arrives takes its bytes. */
async function open (test: Test, { seen = true } = {}) {
  let freeBytes = 5000
  const { submit, owner, other, usage, clock } = await openSubmit(test, { minFreeBytes: 1000, files: { freeBytes: async () => freeBytes } })
  if (seen) usage.addRequests({ ownerId: other, keyId: 0, dayAt: clock.now(), requests: 1 })
  return { downloads: createRunningDownloads({ submit }), owner, other, take (bytes: number) { freeBytes -= bytes } }
}
const REFUSED = { name: 'JobFailure', code: 'insufficient_storage' }

t.test('the downloads of an owner take at most half of the disk that others leave', async (t) => {
  const { downloads, owner, take } = await open(t)
  await downloads.run(owner, async (require) => {
    await t.resolves(require(2000, 0))
    await t.rejects(require(2001, 0), REFUSED)
  })
  await downloads.run(owner, async (first) => {
    await first(1500, 0)
    await downloads.run(owner, async (second) => { await t.rejects(second(600, 0), REFUSED, 'both downloads count') })
    take(1500)
    await t.resolves(first(0, 1500), 'what has arrived is the same share')
    await t.rejects(first(600, 1500), REFUSED, 'a source of unknown length ends there')
  })
})

t.test('what others download is not theirs alone until it is done, and an owner alone may use everything', async (t) => {
  const { downloads, owner, other } = await open(t)
  await downloads.run(other, async (theirs) => {
    await theirs(2000, 0)
    await downloads.run(owner, async (require) => {
      await t.resolves(require(1000, 0))
      await t.rejects(require(1001, 0), REFUSED)
    })
  })
  const alone = await open(t, { seen: false })
  await alone.downloads.run(alone.owner, async (require) => {
    await t.resolves(require(4000, 0))
    await t.rejects(require(4001, 0), REFUSED, 'but not the reserve')
  })
})
