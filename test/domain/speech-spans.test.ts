import t from 'tap'
import { createSpeechSpotter } from '../../dist/domain/speech-spans.js'
import type { SpeechFrame } from '../../dist/domain/speech-spans.js'

/** Frames of a drawing: `!` certain speech, `#` speech, `+` doubtful (between the two thresholds), `.` none. */
function spot (drawing: string): SpeechFrame[] {
  const frames: SpeechFrame[] = []
  const spotter = createSpeechSpotter((frame) => { frames.push(frame) })
  for (const mark of drawing) spotter.push({ probability: { '!': 0.95, '#': 0.8, '+': 0.4 }[mark] ?? 0.1, levelDb: -20 })
  spotter.finish()
  return frames
}
const draw = (frames: readonly SpeechFrame[]): string => frames.map(({ isSpeech, isKept }) => isSpeech ? '#' : isKept ? '-' : '.').join('')

const GAP = '.'.repeat(20)

t.test('every frame comes out once, in order', async (t) => {
  const frames = spot(GAP + '#'.repeat(9) + '....##' + GAP + '#'.repeat(3))
  t.strictSame(frames.map(({ index }) => index), frames.map((_, index) => index))
})

t.test('nearly half a second of pause is kept around speech', async (t) => {
  t.equal(draw(spot(GAP + '#'.repeat(10) + GAP)), '.'.repeat(6) + '-'.repeat(14) + '#'.repeat(10) + '-'.repeat(14) + '.'.repeat(6))
  t.equal(draw(spot('##########')), '##########', 'from the first frame to the last')
  t.equal(draw(spot('...##########...##########')), '---##########---##########', 'a pause shorter than that is kept whole')
})

t.test('what is shorter than a quarter of a second is no speech', async (t) => {
  t.equal(draw(spot(GAP + '#######' + GAP)).includes('#'), false)
  t.equal(draw(spot(GAP + '########' + GAP)).includes('########'), true)
  t.equal(draw(spot(GAP + '#######')).includes('#'), false, 'at the end too')
  t.equal(draw(spot(GAP + '######..' + GAP)).includes('#'), false, 'the silence that ends it does not count')
  t.equal(draw(spot(GAP + '#!##' + GAP)).includes('####'), true, 'unless the detector is sure: a word alone may be so short')
  t.equal(draw(spot(GAP + '!!!' + GAP)).includes('#'), false)
})

t.test('speech begins with certainty and fades out', async (t) => {
  t.equal(draw(spot(GAP + '+++##########+++' + GAP)).replaceAll(/[.-]/g, ''), '#'.repeat(13), 'doubt counts after speech, not before')
  t.equal(draw(spot(GAP + '+'.repeat(30) + GAP)).includes('#'), false, 'doubt alone is no speech')
})

t.test('a dip of less than a tenth of a second does not end speech', async (t) => {
  t.equal(draw(spot(GAP + '#####..#####' + GAP)).includes('############'), true)
  t.equal(draw(spot(GAP + '#####...#####' + GAP)).includes('#'), false)
})

t.test('a frame is decided 0.8 s after it was heard, whatever follows', async (t) => {
  let decided = 0
  const spotter = createSpeechSpotter(() => { decided++ })
  for (let heard = 1; heard <= 2000; heard++) {
    spotter.push({ probability: Math.sin(heard * heard) / 2 + 0.5, levelDb: 0 })
    t.ok(heard - decided <= 25) || t.bailout()
  }
})
