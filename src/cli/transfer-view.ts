/** Shows a transfer: a bar on a terminal, otherwise one line for every 10 %. */
import { createRateMeter, describeTransfer, formatBytes } from '../domain/download-progress.js'
import type { Watcher } from '../service/model-library.js'
import { createProgressBar } from './progress-bar.js'

/** The bar is redrawn at most this often. */
const DRAW_MS = 100

/** `stream` receives the bar and notes, `say` the results. */
export function createTransferView (
  stream: NodeJS.WriteStream,
  say: (sentence: string) => void,
  now: () => number = Date.now
): Watcher & { clear(): void } {
  const bar = createProgressBar(stream)
  let meter = createRateMeter(now)
  let label = ''
  let drawnAt = -Infinity
  let tenths = 0
  const note = (sentence: string): void => {
    bar.clear()
    stream.write(`${sentence}\n`)
  }
  return {
    begin (next) {
      label = next
      meter = createRateMeter(now)
      drawnAt = -Infinity
      tenths = 0
      if (!stream.isTTY) note(next)
    },
    progress (doneBytes, totalBytes) {
      if (stream.isTTY) {
        if (now() - drawnAt < DRAW_MS) return
        drawnAt = now()
        meter.record(doneBytes)
        bar.show(
          totalBytes ? Math.min(100, (100 * doneBytes) / totalBytes) : 0,
          `${label}: ${describeTransfer(doneBytes, totalBytes, meter.bytesPerSecond())}`
        )
        return
      }
      const reached = totalBytes ? Math.floor((10 * doneBytes) / totalBytes) : 0
      if (reached > tenths && totalBytes) note(`${label}: ${reached * 10} % of ${formatBytes(totalBytes)}`)
      tenths = Math.max(tenths, reached)
    },
    note,
    end (sentence) {
      bar.clear()
      say(sentence)
    },
    clear: bar.clear
  }
}
