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
