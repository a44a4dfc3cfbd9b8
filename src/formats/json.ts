/** JSON: segments and words with times in seconds. */
import { toSeconds } from '../domain/transcript.js'
import type { Transcript, TranscriptDocument } from '../domain/transcript.js'

export function toDocument (transcript: Transcript): TranscriptDocument {
  return {
    transcriptionId: transcript.id,
    ...(transcript.language === undefined ? {} : { language: transcript.language }),
    durationSeconds: toSeconds(transcript.durationMs),
    segments: transcript.segments.map((segment, id) => ({
      id,
      start: toSeconds(segment.startMs),
      end: toSeconds(segment.endMs),
      text: segment.text,
      ...(segment.speaker === undefined ? {} : { speaker: segment.speaker }),
      words: segment.words.map(({ text, startMs, endMs, probability, speaker }) => ({
        word: text,
        start: toSeconds(startMs),
        end: toSeconds(endMs),
        probability,
        ...(speaker === undefined ? {} : { speaker })
      }))
    }))
  }
}

export function renderJson (transcript: Transcript): string {
  return JSON.stringify(toDocument(transcript))
}
