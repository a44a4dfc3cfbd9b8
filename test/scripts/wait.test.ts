/** How tests wait: as long as something changes, however slow the machine is. */
import t from 'tap'
import { waitFor } from '../support/wait.ts'

t.test('a slow machine is no failure: the limit counts from the last progress', async (t) => {
  let asked = 0
  const answer = await waitFor('the end', () => ++asked > 60 && 'done', { everyMs: 5, stalledMs: 200, progress: () => asked })
  t.equal(answer, 'done')
  t.ok(asked > 60)
})

t.test('what does not change any more is one, and says what it waited for', async (t) => {
  await t.rejects(waitFor('the end', () => false, { everyMs: 1, stalledMs: 20, progress: () => 'half' }), /waited for the end.*"half"/)
})
