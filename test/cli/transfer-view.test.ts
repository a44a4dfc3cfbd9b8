import t from 'tap'
import { createTransferView } from '../../dist/cli/transfer-view.js'
import { createClock } from '../support/clock.ts'

function createStream (isTTY: boolean, columns?: number) {
  let text = ''
  return { stream: { isTTY, columns, write: (more: string) => { text += more } } as unknown as NodeJS.WriteStream, written: () => text }
}

t.test('on a terminal there is a bar, drawn ten times a second at most', async (t) => {
  const clock = createClock()
  const { stream, written } = createStream(true)
  const said: string[] = []
  const view = createTransferView(stream, (sentence) => { said.push(sentence) }, clock.now)
  view.begin('base')
  view.progress(0, 4096)
  view.progress(100, 4096)
  clock.advance(1000)
  view.progress(1024, 4096)
  view.note('again')
  view.end('done')
  t.strictSame(written().split('\r\x1b[2K').filter(Boolean), [
    '░'.repeat(30) + '   0 % base: 0 bytes of 4.0 KiB',
    '█'.repeat(8) + '░'.repeat(22) + '  25 % base: 1.0 KiB of 4.0 KiB, 1.0 KiB/s, 3 s left',
    'again\n'
  ])
  t.strictSame(said, ['done'])
})

t.test('a narrow terminal gets a short bar, and never two lines', async (t) => {
  for (const columns of [80, 60, 20]) {
    const { stream, written } = createStream(true, columns)
    const view = createTransferView(stream, () => {})
    view.begin('large-v3-turbo-q5_0')
    view.progress(274 * 1024 ** 2, 547 * 1024 ** 2)
    const line = written().replace('\r\x1b[2K', '')
    t.ok(line.length < columns, line)
    t.match(line, /^█+░+ {2}50 %/)
  }
})

t.test('elsewhere there are lines, one for each tenth', async (t) => {
  const { stream, written } = createStream(false)
  const view = createTransferView(stream, () => {})
  view.begin('base')
  for (let done = 0; done <= 100; done += 5) view.progress(done * 1024, 25 * 1024 * 4)
  view.begin('other')
  view.progress(5, undefined)
  t.strictSame(
    written(),
    'base\n' + [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((tenth) => `base: ${tenth} % of 100.0 KiB\n`).join('') + 'other\n'
  )
})
