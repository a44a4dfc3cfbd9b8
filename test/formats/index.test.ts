import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { EXPORT_FORMATS, FORMATS } from '../../dist/formats/index.js'
import type { ExportFormat } from '../../dist/formats/index.js'
import { makeTranscript } from '../support/transcript.ts'

t.test('every format of the specification, with its type', async (t) => {
  t.strictSame(EXPORT_FORMATS, ['txt', 'srt', 'vtt', 'json', 'md', 'docx'])
  t.strictSame(
    EXPORT_FORMATS.map((name) => FORMATS[name].contentType),
    [
      'text/plain; charset=utf-8',
      'text/plain; charset=utf-8',
      'text/vtt; charset=utf-8',
      'application/json; charset=utf-8',
      'text/markdown; charset=utf-8',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    ]
  )
  t.strictSame(EXPORT_FORMATS.filter((name) => FORMATS[name].isBinary), ['docx'])
})

t.test('nothing said makes a file in every format', async (t) => {
  for (const name of EXPORT_FORMATS) {
    let length = 0
    const empty = makeTranscript({ segments: [], language: undefined, durationMs: 0 })
    for await (const chunk of FORMATS[name].render(empty)) length += chunk.length
    t.equal(length === 0, name === 'txt' || name === 'srt', name)
  }
})

/** Held as a whole, the segments of this many hours alone take more memory than the thread has. */
const HOURS = 40

async function renderLong (format: ExportFormat): Promise<number> {
  const thread = new Worker(new URL('../support/render-long.ts', import.meta.url), {
    workerData: { format, hours: HOURS }, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 }
  })
  // Both from the start: on a busy machine the thread has ended by the time its message is read.
  const [[length]] = await Promise.all([once(thread, 'message'), once(thread, 'exit')]) as [[number], unknown]
  return length
}

t.test('however long a recording is, what is in memory is a piece of it', async (t) => {
  const lengths: Partial<Record<ExportFormat, number>> = { srt: 3_000_000, json: 30_000_000, md: 2_000_000, docx: 500_000 }
  for (const [format, length] of Object.entries(lengths) as Array<[ExportFormat, number]>) t.ok(await renderLong(format) > length, format)
})

t.test('no piece of a long recording is long: every format may pause after a few minutes of text', async (t) => {
  const AT_MOST_MS = 5 * 60_000
  for (const name of EXPORT_FORMATS) {
    let readMs = 0
    function * speak () {
      // Without a pause, which would let subtitles be cut earlier.
      for (let startMs = 0; startMs < 3_600_000; startMs += 4000) {
        readMs = startMs
        const words = Array.from({ length: 11 }, (_, index) => {
          const wordMs = startMs + index * 360
          return { text: index === 10 ? ' end.' : ` word${index}`, startMs: wordMs, endMs: wordMs + 300, probability: 1 }
        })
        yield { startMs, endMs: startMs + 3900, text: words.map(({ text }) => text).join(''), words }
      }
    }
    let [pausedMs, longestMs] = [0, 0]
    const chunks = FORMATS[name].render({ ...makeTranscript(), durationMs: 3_600_000, segments: speak() })
    for await (const { length } of chunks as AsyncIterable<{ length: number }>) {
      if (length > 1_000_000) t.fail('a piece of a megabyte')
      longestMs = Math.max(longestMs, readMs - pausedMs)
      pausedMs = readMs
    }
    t.ok(longestMs < AT_MOST_MS, `${name}: ${longestMs} ms`)
  }
})
