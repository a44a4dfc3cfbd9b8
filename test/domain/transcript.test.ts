import t from 'tap'
import { toSeconds, transcriptText } from '../../dist/domain/transcript.js'

t.test('the text is the segments joined: spaces are theirs, so languages without spaces get none', async (t) => {
  t.equal(transcriptText([{ text: ' Hello there.' }, { text: ' How are you?' }]), 'Hello there. How are you?')
  t.equal(transcriptText([{ text: '今天天气很好。' }, { text: '我们走吧。' }]), '今天天气很好。我们走吧。')
  t.equal(transcriptText([]), '')
})

t.test('seconds keep the millisecond', async (t) => {
  t.strictSame([0, 1, 999, 1001, 36_000_007].map(toSeconds), [0, 0.001, 0.999, 1.001, 36_000.007])
})
