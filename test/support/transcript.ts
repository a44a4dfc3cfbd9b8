/** A transcript to render and to store: two segments a minute apart, more than ASCII. */
import type { TimedSegment, Transcript } from '../../dist/domain/transcript.js'

export function makeSegments (): TimedSegment[] {
  return [
    {
      startMs: 300,
      endMs: 1500,
      text: ' Good morning.',
      words: [
        { text: ' Good', startMs: 300, endMs: 700, probability: 0.98 },
        { text: ' morning.', startMs: 720, endMs: 1500, probability: 0.5 }
      ]
    },
    {
      startMs: 60_001,
      endMs: 61_855,
      text: ' The café — it’s open — 今天.',
      words: [' The', ' café', ' —', ' it’s', ' open', ' —', ' 今', '天.'].map((text, index) => ({
        text, startMs: 60_001 + index * 200, endMs: 60_201 + index * 200, probability: 1
      }))
    }
  ]
}

export function makeTranscript (changes: Partial<Transcript> = {}): Transcript {
  return {
    id: 7, fileName: 'talk.mp3', language: 'en', durationMs: 61_855, warnings: [], skipped: [], segments: makeSegments(), ...changes
  }
}
