/** SubRip and WebVTT as other programs read them. */
import t from 'tap'
import { cutCues } from '../../dist/formats/cues.js'
import { renderSrt } from '../../dist/formats/srt.js'
import { renderVtt } from '../../dist/formats/vtt.js'
import { LANGUAGES, makeSpeech } from '../support/captions.ts'
import { readWithFfmpeg, readWithSubtitle, readWithW3c } from '../support/subtitle-readers.ts'
import { makeTranscript } from '../support/transcript.ts'
import type { TimedSegment, Transcript } from '../../dist/domain/transcript.js'

const whole = (chunks: Iterable<string>): string => [...chunks].join('')
const cuesOf = (transcript: Transcript) =>
  [...cutCues(transcript)].map(({ startMs, endMs, lines }) => ({ startMs, endMs, text: lines.join('\n') }))
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function say (text: string): TimedSegment[] {
  const words = text
    .split(/(?= )/)
    .map((word, index) => ({ text: word, startMs: 400 * index, endMs: 400 * index + 350, probability: 1, speaker: 'Speaker 1' }))
  return [{ startMs: 0, endMs: 400 * words.length, text, words, speaker: 'Speaker 1' }]
}

t.test('the files, whole', async (t) => {
  const transcript = makeTranscript()
  t.equal(whole(renderSrt(transcript)), [
    '1', '00:00:00,300 --> 00:00:01,500', 'Good morning.', '', '2', '00:01:00,001 --> 00:01:01,601', 'The café — it’s open — 今天.', '', ''
  ].join('\n'))
  t.equal(
    whole(renderVtt(transcript)),
    [
      'WEBVTT',
      '',
      '00:00:00.300 --> 00:00:01.500',
      'Good morning.',
      '',
      '00:01:00.001 --> 00:01:01.601',
      'The café — it’s open — 今天.',
      '',
      ''
    ].join('\n')
  )
})

t.test('nothing said is a file without cues', async (t) => {
  const silence = makeTranscript({ segments: [] })
  t.equal(whole(renderSrt(silence)), '')
  t.equal(whole(renderVtt(silence)), 'WEBVTT\n\n')
  t.strictSame(readWithW3c(whole(renderVtt(silence))), { cues: [], errors: [] })
})

t.test('no text can be taken for a tag, an entity or an arrow, and no speaker is named', async (t) => {
  const transcript = makeTranscript({ segments: say('Say <b>this</b> &amp; <00:00:01.000> --> "that" & NOTE') })
  const vtt = whole(renderVtt(transcript))
  t.match(vtt, 'Say &lt;b&gt;this&lt;/b&gt; &amp;amp;\n&lt;00:00:01.000&gt; --&gt;')
  t.equal(vtt.match(/-->/g)?.length, 1)
  t.strictSame(readWithW3c(vtt), { cues: cuesOf(transcript), errors: [] })
  for (const file of [vtt, whole(renderSrt(transcript))]) t.notMatch(file, /Speaker/)
})

t.test('times of a hundred hours and more', async (t) => {
  const [segment] = say('Still here.')
  const late = makeTranscript({
    segments: [{ ...(segment as TimedSegment), words: [{ text: 'Late.', startMs: 360_001_002, endMs: 360_002_500, probability: 1 }] }]
  })
  t.match(whole(renderVtt(late)), '100:00:01.002 --> 100:00:02.500')
  t.strictSame(readWithW3c(whole(renderVtt(late))), { cues: cuesOf(late), errors: [] })
})

t.test('the validator of the W3C, the package subtitle and ffmpeg agree on every cue, in every script', async (t) => {
  let count = 0
  for (const [index, languages] of [...LANGUAGES.map((language) => [language]), LANGUAGES].entries()) {
    const transcript = makeTranscript({
      durationMs: 0,
      segments: makeSpeech({ seed: 70 + index, count: 300, languages, wild: index % 2 === 0, speakers: 2 })
    })
    const cues = cuesOf(transcript)
    const vtt = whole(renderVtt(transcript))
    const inFile = cues.map((cue) => ({ ...cue, text: escaped(cue.text) }))
    t.strictSame(readWithW3c(vtt), { cues, errors: [] }, `W3C: ${languages.join()}`)
    t.strictSame(readWithSubtitle(vtt), inFile, 'subtitle, WebVTT')
    t.strictSame(readWithFfmpeg(vtt, 'webvtt'), inFile, 'ffmpeg, WebVTT')
    const srt = whole(renderSrt(transcript))
    t.strictSame(readWithSubtitle(srt), cues, 'subtitle, SubRip')
    t.strictSame(readWithFfmpeg(srt, 'srt'), cues, 'ffmpeg, SubRip')
    count += cues.length
  }
  t.ok(count > 400, `${count} cues`)
})
