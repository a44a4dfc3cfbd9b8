import t from 'tap'
import { countWordErrors, errorsOf } from '../../dist/evaluate/text/wer.js'
import { alignTokens } from '../../dist/evaluate/text/alignment.js'
import { findSclite } from '../../dist/evaluate/sclite.js'
import { addSclite, agree, scoreRecording } from '../../dist/evaluate/score.js'
import type { Recording } from '../../dist/evaluate/folder.js'
import { createRandom } from '../support/random.ts'

const sclite = findSclite()
const NONE = { words: 0, substitutions: NaN, deletions: 0, insertions: 0 }
const options = sclite ? {} : { skip: 'sclite is not installed' }

t.test('without the program there is no second opinion', async (t) => {
  t.equal(findSclite([['no-such-program-here']]), undefined)
  t.equal(findSclite([['true']]), undefined, 'a program that is not sclite')
})

t.test('sclite counts what we count on texts with few errors', options, async (t) => {
  const random = createRandom(3)
  const pairs = Array.from({ length: 12 }, () => {
    const said = Array.from({ length: 200 }, () => `w${Math.floor(80 * random())}`)
    const heard = said.flatMap((word) => random() < 0.02 ? [] : random() < 0.02 ? [word, 'extra'] : random() < 0.03 ? ['wrong'] : [word])
    return { said, heard }
  })
  const counted = await sclite?.score(pairs, t.testdir()) ?? []
  // The same number of errors; which of them is called replaced, missed or invented is a choice between equals.
  for (const [index, { said, heard }] of pairs.entries()) {
    t.equal(errorsOf(counted[index] ?? NONE), errorsOf(countWordErrors(said.join(' '), heard.join(' '))))
  }
})

t.test('the alignment that times are read from costs what sclite\'s costs, however bad the text', options, async (t) => {
  const random = createRandom(4)
  const draw = (count: number): string[] => Array.from({ length: count }, () => `w${Math.floor(5 * random())}`)
  const pairs = Array.from({ length: 20 }, () => ({ said: draw(30), heard: draw(25) }))
  const counted = await sclite?.score(pairs, t.testdir()) ?? []
  for (const [index, { said, heard }] of pairs.entries()) {
    const aligned = [...alignTokens(said, heard)]
    const used = aligned.filter((one) => one >= 0).length
    const wrong = aligned.filter((one, position) => one >= 0 && said[one] !== heard[position]).length
    const { substitutions, deletions, insertions } = counted[index] ?? NONE
    t.equal(4 * wrong + 3 * (said.length + heard.length - 2 * used), 4 * substitutions + 3 * (deletions + insertions))
  }
})

t.test('empty texts, other scripts and single characters are scored', options, async (t) => {
  const pairs = [
    { said: [], heard: [] },
    { said: [], heard: ['thank', 'you'] },
    { said: ['größe', 'año'], heard: [] },
    { said: ['größe', 'año'], heard: ['grosse', 'año'] },
    { said: [...'你好吗𠮷'], heard: [...'你吗𠮷'] }
  ]
  t.match(await sclite?.score(pairs, t.testdir()), [
    { words: 0, insertions: 0 }, { words: 0, insertions: 2 }, { words: 2, deletions: 2 },
    { words: 2, substitutions: 1, deletions: 0 }, { words: 4, deletions: 1, substitutions: 0 }
  ])
})

t.test('texts too long for it are left to our own count', options, async (t) => {
  const long = Array.from({ length: 10_001 }, () => 'a')
  const counted = await sclite?.score([{ said: long, heard: long }, { said: ['a'], heard: ['b'] }], t.testdir())
  t.equal(counted?.[0], undefined)
  t.match(counted?.[1], { words: 1, substitutions: 1 })
  t.strictSame(await sclite?.score([{ said: long, heard: long }], t.testdir()), [undefined])
})

t.test('only recordings that were transcribed and have a reference go to it', options, async (t) => {
  const words = { wallMs: 1, transcript: { text: 'One, two!', durationMs: 1000, words: [] } }
  const recordings: Recording[] = [
    { name: 'a', path: 'a' },
    { name: 'b', path: 'b', reference: { text: 'one too', unit: 'word' } },
    { name: 'c', path: 'c', reference: { text: 'x', unit: 'word' } }
  ]
  const scores = recordings.map((recording, index) => scoreRecording(recording, index === 2 ? { failure: 'decode_failed' } : words))
  const both = sclite ? await addSclite(scores, recordings, sclite, t.testdir()) : []
  t.strictSame(both.map((score) => score.sclite), [undefined, { words: 2, substitutions: 1, deletions: 0, insertions: 0 }, undefined])
  t.ok(both[1]?.errors && both[1].sclite && agree(both[1].errors, both[1].sclite))
})
