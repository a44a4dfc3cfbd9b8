/** Runs in a thread with little memory: renders a recording of the given hours and reports the size of the result. */
import { parentPort, workerData } from 'node:worker_threads'
import { FORMATS } from '../../dist/formats/index.js'
import type { ExportFormat } from '../../dist/formats/index.js'
import type { TimedSegment } from '../../dist/domain/transcript.js'

const SEGMENT_MS = 4000
const WORDS = 11

function * speak (hours: number): Generator<TimedSegment> {
  for (let startMs = 0; startMs < hours * 3_600_000; startMs += SEGMENT_MS) {
    const speaker = `Speaker ${1 + Math.floor(startMs / 40_000) % 3}`
    const words = Array.from({ length: WORDS }, (_, index) => {
      const wordMs = startMs + index * 350
      return {
        text: index === WORDS - 1 ? ' end.' : ` ${(startMs + index).toString(36)}`,
        startMs: wordMs,
        endMs: wordMs + 300,
        probability: 0.9,
        speaker
      }
    })
    yield { startMs, endMs: startMs + SEGMENT_MS - 100, text: words.map(({ text }) => text).join(''), words, speaker }
  }
}

const { format, hours } = workerData as { format: ExportFormat, hours: number }
let length = 0
for await (const chunk of FORMATS[format].render({
  id: 1, fileName: 'long.mp3', language: 'en', durationMs: hours * 3_600_000, warnings: [], skipped: [], segments: speak(hours)
})) {
  length += chunk.length
}
parentPort?.postMessage(length)
