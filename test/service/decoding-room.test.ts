/** Decoding leaves the reserve of free disk alone. */
import t from 'tap'
import { AppError } from '../../dist/domain/errors.js'
import { openSteps } from '../support/steps.ts'

const MIB = 1024 * 1024

t.test('decoding stops before it uses the reserve of free disk', async (t) => {
  let freeBytes = 3 * MIB
  let decoded = 0
  async function * decode () {
    for (;;) {
      decoded += MIB / 4
      freeBytes -= MIB / 4
      if (decoded > 20 * MIB) throw new Error('it never stops')
      yield Buffer.alloc(MIB / 4)
    }
  }
  const { addJob, decoding, jobs, claimDecode } = await openSteps(t, {
    decode,
    async requireRoom (bytes) { if (bytes > freeBytes) throw new AppError('insufficient_storage', 'full') },
    speech: { detectSpeech: async () => ({ probabilities: new Float32Array(0) }) as never }
  })
  const jobId = addJob('a')
  const claim = claimDecode(0)
  if (!claim) throw new Error('no decode waits')
  await decoding.decode(claim, new AbortController().signal, () => {})
  t.match(jobs.find(jobId), { status: 'failed', failureCode: 'insufficient_storage' })
  t.ok(decoded <= 3 * MIB, `${decoded} bytes`)
})
