/** A progress bar on terminals; no output elsewhere. */
const WIDTH = 30

export type ProgressBar = { show (percent: number, label: string): void, clear (): void }

/** Draws on `stream` if it is a terminal. */
export function createProgressBar (stream: NodeJS.WriteStream): ProgressBar {
  let last = ''
  return {
    show (percent, label) {
      // A wrapped line cannot be overwritten.
      const room = (stream.columns || Infinity) - 1
      const width = Math.max(5, Math.min(WIDTH, room - label.length - ' 100 % '.length))
      const filled = Math.round(width * percent / 100)
      const line = `${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent.toFixed(0).padStart(3)} % ${label}`.slice(0, room)
      if (!stream.isTTY || line === last) return
      last = line
      stream.write(`\r\x1b[2K${line}`)
    },
    clear () {
      if (stream.isTTY && last !== '') stream.write('\r\x1b[2K')
    }
  }
}
