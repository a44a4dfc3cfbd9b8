/** Naming and merging speakers, and what readers then see. */
import t from 'tap'
import { changeSpeakers, keepNames, measureSpeakers, numberOf, shownNames, toLabel } from '../../dist/domain/speaker-names.js'
import type { Speaker, SpeakerChanges } from '../../dist/domain/speaker-names.js'

const THREE: readonly Speaker[] = [{ number: 1, talkMs: 100 }, { number: 2, talkMs: 20 }, { number: 3, talkMs: 3 }]
const shown = (changes: SpeakerChanges, before = THREE) => Object.fromEntries(shownNames(changeSpeakers(before, changes)))

t.test('a label holds a number', async (t) => {
  t.equal(numberOf(toLabel(12)), 12)
  for (const text of ['Speaker 0', 'Speaker', 'speaker 1', 'Speaker 1 ', 'Ada', undefined]) t.equal(numberOf(text), undefined, String(text))
})

t.test('names are shown instead of labels, and cleaned like names of recordings', async (t) => {
  t.strictSame(shown({ speakers: [{ label: 'Speaker 2', name: ' Ada\u0000\nLovelace ' }] }), { 'Speaker 2': 'Ada Lovelace' })
  const named = changeSpeakers(THREE, { speakers: [{ label: 'Speaker 1', name: 'Ada' }] })
  t.strictSame(shown({ speakers: [{ label: 'Speaker 1', name: '' }] }, named), {}, 'an empty name removes the name')
  t.strictSame(shown({ speakers: [{ label: 'Speaker 1', name: 'Grace' }] }, named), { 'Speaker 1': 'Grace' })
  t.strictSame(shown({}, named), { 'Speaker 1': 'Ada' }, 'no change, no effect')
})

t.test('characters that nobody sees are no part of a name', async (t) => {
  const nameOf = (name: string) => shown({ speakers: [{ label: 'Speaker 1', name }] })['Speaker 1']
  t.strictSame(['A\u200bd\u202ea\u2066\ufeff', '\u200d Ada\u200c', 'عل\u200cی', '👩\u200d🔬', '\u200b\u3164\u200d'].map(nameOf),
    ['Ada', 'Ada', 'عل\u200cی', '👩\u200d🔬', undefined])
  const twice = ['Ada', 'A\u200dda'].map((name, index) => ({ label: toLabel(index + 1), name }))
  t.throws(() => shown({ speakers: twice }), { code: 'invalid_request' })
})

t.test('a speaker who is found again keeps the name, also of merged ones; an uncertain one does not', async (t) => {
  const label = (...numbers: number[]) => [{
    startMs: 0,
    endMs: 100,
    text: '',
    words: numbers.map((number, index) =>
      ({ text: ' a', startMs: 10 * index, endMs: 10 * (index + 1), probability: 1, speaker: toLabel(number) }))
  }]
  const before = label(1, 1, 1, 2, 2, 3, 3)
  const named = (changes: SpeakerChanges) => changeSpeakers(measureSpeakers(before), changes)
  const speakers = [1, 2, 3].map((number) => ({ label: toLabel(number), name: `Name ${number}` }))
  const namesAfter = (old: Speaker[], ...numbers: number[]) => keepNames(old, before, label(...numbers)).map(({ name }) => name)
  t.strictSame(namesAfter(named({ speakers }), 2, 2, 2, 1, 1, 3, 3), ['Name 2', 'Name 1', 'Name 3'])
  t.strictSame(namesAfter(named({ speakers }), 1, 1, 1, 2, 2, 2, 2), ['Name 1', undefined], 'half of it was said by another')
  const merged = named({ merge: [{ from: 'Speaker 3', into: 'Speaker 2' }], speakers: speakers.slice(1, 2) })
  t.strictSame(namesAfter(merged, 1, 1, 1, 2, 2, 2, 2), [undefined, 'Name 2'])
})

t.test('merged speakers have one label, one name and one talk time', async (t) => {
  const merged = changeSpeakers(THREE, { merge: [{ from: 'Speaker 3', into: 'Speaker 2' }] })
  t.match(merged, [{ number: 1, talkMs: 100 }, { number: 2, talkMs: 23 }, { number: 3, talkMs: 0, mergedInto: 2 }])
  t.strictSame(Object.fromEntries(shownNames(merged)), { 'Speaker 3': 'Speaker 2' })
  const all = changeSpeakers(merged, { merge: [{ from: 'Speaker 2', into: 'Speaker 1' }], speakers: [{ label: 'Speaker 1', name: 'Ada' }] })
  t.strictSame(Object.fromEntries(shownNames(all)), { 'Speaker 1': 'Ada', 'Speaker 2': 'Ada', 'Speaker 3': 'Ada' })
  t.equal(all[0]?.talkMs, 123)
})

t.test('a merged speaker keeps the name that one of the two has', async (t) => {
  const named = changeSpeakers(THREE, { speakers: [{ label: 'Speaker 3', name: 'Ada' }] })
  t.strictSame(shown({ merge: [{ from: 'Speaker 3', into: 'Speaker 1' }] }, named), { 'Speaker 1': 'Ada', 'Speaker 3': 'Ada' })
})

t.test('changes that would confuse readers are refused, and change nothing', async (t) => {
  const merge = [{ from: 'Speaker 3', into: 'Speaker 2' }]
  const before = changeSpeakers(THREE, { speakers: [{ label: 'Speaker 1', name: 'Ada' }], merge })
  const copy = structuredClone(before)
  const cases: Array<[SpeakerChanges, RegExp]> = [
    [{ speakers: [{ label: 'Speaker 9', name: 'Bob' }] }, /^speakers\[0\]\.label: the transcription has no speaker with this label/],
    [{ speakers: [{ label: 'Ada', name: 'Bob' }] }, /^speakers\[0\]\.label/],
    [{ speakers: [{ label: 'Speaker 2', name: ' ADA ' }] }, /two speakers cannot both be called/],
    [{ speakers: [{ label: 'Speaker 1', name: 'Speaker 2' }] }, /two speakers cannot both be called/],
    [{ speakers: [{ label: 'Speaker 1', name: 'Speaker   2' }] }, /two speakers cannot both be called/],
    [{ speakers: [{ label: 'Speaker 2', name: 'x'.repeat(101) }] }, /^speakers\[0\]\.name: must NOT have more than 100/],
    [{ merge: [{ from: 'Speaker 2', into: 'Speaker 2' }] }, /^merge\[0\]: a speaker cannot be merged into itself/],
    [{ merge: [{ from: 'Speaker 1', into: 'Speaker 3' }] }, /^merge\[0\]\.into: this speaker was merged into Speaker 2/],
    [{ merge: [{ from: 'Speaker 7', into: 'Speaker 1' }] }, /^merge\[0\]\.from/]
  ]
  for (const [changes, message] of cases) t.throws(() => changeSpeakers(before, changes), { code: 'invalid_request', message })
  t.strictSame(before, copy)
})

t.test('speakers are measured by their words', async (t) => {
  const word = (startMs: number, endMs: number, speaker?: string) =>
    ({ text: ' a', startMs, endMs, probability: 1, ...(speaker === undefined ? {} : { speaker }) })
  const segments = [{ startMs: 0, endMs: 900, text: '', words: [word(0, 300, 'Speaker 2'), word(300, 400), word(400, 900, 'Speaker 1')] }]
  t.strictSame(measureSpeakers(segments), [{ number: 1, talkMs: 500 }, { number: 2, talkMs: 300 }])
})
