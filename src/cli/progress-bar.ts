/** A progress bar on a terminal; nothing anywhere else. */
const WIDTH = 30

export type ProgressBar = { show (percent: number, label: string): void, clear (): void }

/** Draws on `stream` when it is a terminal. */
export function createProgressBar (stream: NodeJS.WriteStream): ProgressBar {
  let last = ''
  return {
    show (percent, label) {
      const filled = Math.round(WIDTH * percent / 100)
      const line = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${percent.toFixed(0).padStart(3)} % ${label}`
      if (!stream.isTTY || line === last) return
      last = line
      stream.write(`\r\x1b[2K${line}`)
    },
    clear () {
      if (stream.isTTY && last !== '') stream.write('\r\x1b[2K')
    }
  }
}
